"""The self-made transcripts of both agents, read by a real agent and asked for through the API and the page."""
import collections
import html.parser
import re

import pytest

from wheelhouse import fixtures, wait_for


def all_blocks(browser, session, thread=None):
    """Every block of a session, through pages of 200, oldest first."""
    blocks, before = [], None
    while True:
        query = f"?limit=200{f'&before={before}' if before is not None else ''}"
        page = browser.json(f"/api/v1/sessions/{session}/blocks{query}")
        blocks = page["blocks"] + blocks
        if not page["hasMore"]:
            return blocks
        before = page["blocks"][0]["seq"]


class Kinds(html.parser.HTMLParser):
    """Counts elements by their data-kind."""

    def __init__(self):
        super().__init__()
        self.count = collections.Counter()

    def handle_starttag(self, tag, attributes):
        kind = dict(attributes).get("data-kind")
        if kind:
            self.count[kind] += 1


def page_kinds(browser, url):
    """Counts the blocks of a session's page by kind, following the links to older blocks as a browser without scripts does."""
    kinds, path = Kinds(), url
    while path:
        text = browser.text(path)
        kinds.feed(text)
        older = re.search(r'<a[^>]*\brel="prev"[^>]*\bhref="([^"]+)"|<a[^>]*\bhref="([^"]+)"[^>]*\brel="prev"', text)
        path = (older.group(1) or older.group(2)).replace("&amp;", "&") if older else None
    return kinds.count


@pytest.fixture(scope="module")
def reading(tmp_path_factory):
    """(browser, sessions by transcript, expected) of a server with one desktop over the fixtures."""
    from wheelhouse import Server
    folder = tmp_path_factory.mktemp("transcripts")
    made = fixtures(folder)
    if made is None:
        pytest.skip("the fixture generator does not lie beside the repository")
    home, expected = made
    with Server(folder / "data") as server:
        server.add_desktop(home, "fixtures")
        browser = server.pair()

        def listed():
            sessions = browser.json("/api/v1/sessions")["sessions"]
            return sessions if len(sessions) >= len(expected) else None

        sessions = wait_for(listed, 30, "all sessions in the list")
        yield browser, {s["transcript"]: s for s in sessions}, expected


def wanted(expected):
    kinds = collections.Counter(expected["blocks"])
    for extra, name in (("badLine", "bad_lines"), ("unknown", "unknown"), ("malformed", "shapeless")):
        if expected.get(name):
            kinds[extra] += expected[name]
    return kinds


def test_every_session_is_listed_once_with_its_title(reading):
    _, sessions, expected = reading
    assert sorted(sessions) == sorted(expected)
    for name, want in expected.items():
        session = sessions[name]
        assert session["title"].startswith(want["title"] or ""), name
        assert session["project"] == want["cwd"], name
        assert session["model"] == want["model"], name
        assert session["agent"] == want["agent"], name


def test_the_api_gives_the_blocks_that_are_in_the_files(reading):
    browser, sessions, expected = reading
    for name, want in expected.items():
        blocks = all_blocks(browser, sessions[name]["id"])
        assert collections.Counter(b["kind"] for b in blocks) == wanted(want), name
        assert len({b["id"] for b in blocks}) == len(blocks), f"{name}: an id twice"
        order = [b["seq"] for b in blocks]
        assert order == sorted(set(order)), f"{name}: not in order"


def test_the_page_shows_the_blocks_that_are_in_the_files(reading):
    browser, sessions, expected = reading
    for name, want in expected.items():
        assert page_kinds(browser, sessions[name]["url"]) == wanted(want), name


def test_bad_lines_and_unknown_records_are_counted_in_the_list(reading):
    browser, sessions, expected = reading
    for name in sessions:
        browser.json(f"/api/v1/sessions/{sessions[name]['id']}/blocks?limit=1")
    again = {s["transcript"]: s for s in browser.json("/api/v1/sessions")["sessions"]}
    for name, want in expected.items():
        assert again[name]["badLines"] == want["bad_lines"], name
        assert again[name]["unknownRecords"] == want["unknown"], name
