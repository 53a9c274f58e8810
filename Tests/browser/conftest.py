"""Fixtures of the browser tests: one server with two agents' computers, Chromium, and pages that report every complaint."""
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from chats import Chat
from wheelhouse import Server, wait_for

ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage"]


class World:
    """A server, two computers of developers, and what their agents wrote."""

    def __init__(self, folder):
        self.homes = {name: folder / name for name in ("studio", "build-box")}
        self.story = Chat.story(self.homes["studio"])
        self.long = Chat.long(self.homes["studio"])
        self.drawings = Chat.drawings(self.homes["studio"])
        self.quick = Chat(self.homes["studio"]).prompt("Count with markers").answer("Ready.").write()
        self.other = Chat(self.homes["build-box"], project="/home/dev/app").prompt("Only on the build box").answer("Yes, here.").write()
        self.server = Server(folder / "data", home=folder / "server-home")

    def start(self):
        self.server.start()
        self.member = self.server.pair()
        for name, home in self.homes.items():
            self.server.add_desktop(home, name)
        wanted = {chat.session for chat in (self.story, self.long, self.drawings, self.quick, self.other)}
        wait_for(lambda: wanted <= {entry["nativeId"] for entry in self.sessions()}, 30, "the sessions of both desktops")
        return self

    def sessions(self):
        return self.member.json("/api/v1/sessions")["sessions"]

    def path(self, chat):
        """The page of a chat."""
        return "/s/" + next(entry["id"] for entry in self.sessions() if entry["nativeId"] == chat.session)

    @property
    def cookies(self):
        return [{"name": cookie.name, "value": cookie.value, "domain": "127.0.0.1", "path": cookie.path} for cookie in self.member.jar]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    made = World(tmp_path_factory.mktemp("world"))
    try:
        yield made.start()
    finally:
        made.server.__exit__()


@pytest.fixture(scope="session")
def chromium():
    program = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)
    if program is None:
        pytest.fail("no Chromium here: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


class Visitor:
    """A browser context; at its end, whatever the console, the scripts or the policy complained of fails the test."""

    def __init__(self, chromium, base, cookies=(), **options):
        options.setdefault("viewport", {"width": 1200, "height": 800})
        self.context = chromium.new_context(base_url=base, **options)
        self.context.add_cookies(list(cookies))
        self.complaints, self.expected = [], []
        self.context.add_init_script(
            "addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))")

    def page(self, path=None):
        page = self.context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda message: message.type == "error" and self.complaints.append(f"{message.text} {message.location.get('url', '')}"))
        page.on("pageerror", lambda error: self.complaints.append(f"script: {error}"))
        if path:
            page.goto(path)
        return page

    def expect(self, part):
        """Complaints that hold this text belong to the test."""
        self.expected.append(part)

    def close(self):
        self.context.close()
        left = [text for text in self.complaints if not any(part in text for part in self.expected)]
        assert not left, left


@pytest.fixture
def visit(chromium, world):
    """Makes visitors: `visit()` is a member, `visit(cookies=())` a stranger."""
    made = []

    def make(**options):
        options.setdefault("cookies", world.cookies)
        made.append(Visitor(chromium, world.server.base, **options))
        return made[-1]

    yield make
    for visitor in made:
        visitor.close()


@pytest.fixture
def shots():
    """A folder for pictures, when somebody wants to look at them: WHEELHOUSE_SHOTS."""
    import os
    folder = os.environ.get("WHEELHOUSE_SHOTS")
    return Path(folder) if folder else None
