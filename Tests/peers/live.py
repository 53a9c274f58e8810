"""A tab without a browser: the live socket, its claims, and the page's blocks as the patches leave them."""
import json
import re
import time

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


ARTICLE = re.compile(r"<article\b[^>]*\bdata-kind=[^>]*>")
ATTRIBUTE = re.compile(r'\b(id|data-seq|data-rev)="([^"]*)"')


def articles(text):
    """The blocks in a piece of HTML, those inside others included: (id, place, revision), in order."""
    found = []
    for tag in ARTICLE.findall(text):
        names = dict(ATTRIBUTE.findall(tag))
        found.append((names["id"], int(names.get("data-seq") or 0), int(names.get("data-rev") or 0)))
    return found


class View:
    """What a page shows of one timeline. Applies patches as the page's script is told to."""

    def __init__(self):
        self.blocks, self.places, self.text = {}, {}, {}
        self.epoch, self.seq = None, -1
        self.faults = []
        self.resets = self.patches = 0

    def apply(self, patch):
        if patch.get("reset"):
            self.resets += 1
            self.blocks, self.places, self.text = {}, {}, {}
            self.epoch, self.seq = patch["epoch"], patch["seq"]
            self.put(patch["html"])
            return
        self.patches += 1
        if patch["epoch"] != self.epoch:
            self.faults.append(f"a patch of epoch {patch['epoch']} on {self.epoch}")
        if patch["seq"] <= self.seq:
            self.faults.append(f"patch {patch['seq']} after {self.seq}")
        self.seq = patch["seq"]
        for op in patch["ops"]:
            if op["op"] in ("append", "before", "replace"):
                self.put(op["html"], only=op["id"] if op["op"] == "replace" else None)
            elif op["op"] == "remove":
                self.blocks.pop(op["id"], None)
                self.places.pop(op["id"], None)

    def put(self, text, only=None):
        for id, place, revision in articles(text):
            if only == id and id not in self.blocks:
                continue
            if revision >= self.blocks.get(id, -1):
                self.blocks[id], self.places[id], self.text[id] = revision, place, text


def cookie(browser):
    return "; ".join(f"{c.name}={c.value}" for c in browser.jar)


class Tab:
    """One tab: a live socket with the member's cookie."""

    def __init__(self, browser, name="tab"):
        self.base, self.name = browser.base, name
        self.socket = connect(browser.base.replace("http", "ws", 1) + "/live", origin=browser.base, open_timeout=10,
                              additional_headers={"Cookie": cookie(browser)}, ping_interval=None, max_size=64 << 20)
        self.views, self.other = {}, []
        self.generation = 1
        self.send({"type": "hello", "tab": name, "build": ""})
        self.send({"type": "visible", "generation": 1})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, message):
        self.socket.send(json.dumps(message))

    def claim(self, session, desktop, thread="main", claim=None):
        view = f"{session}:{thread}"
        self.views.setdefault(view, View())
        self.send({"type": "claim", "claim": claim or view, "view": view, "desktop": desktop, "session": session, "thread": thread,
                   "generation": self.generation})
        return self.views[view]

    def release(self, claim):
        self.send({"type": "release", "claim": claim})

    def hide(self):
        self.send({"type": "hidden"})

    def show(self):
        self.generation += 1
        self.send({"type": "visible", "generation": self.generation})

    def until(self, condition, seconds=10, what="the condition"):
        """Takes messages in until something holds."""
        end = time.monotonic() + seconds
        while not condition():
            try:
                message = json.loads(self.socket.recv(timeout=max(0.01, end - time.monotonic())))
            except TimeoutError:
                raise AssertionError(f"waited {seconds} s for {what}") from None
            except ConnectionClosed as closed:
                raise AssertionError(f"the live socket closed while waiting for {what}: {closed}") from None
            self.take(message)

    def take(self, message):
        if message["type"] == "patch":
            self.views.setdefault(message["view"], View()).apply(message)
        else:
            self.other.append(message)
