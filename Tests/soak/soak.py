#!/usr/bin/env python3
"""A server under many desktops, tabs and phones whose connections keep failing; bounded by its arguments, steered by a seed.

    Tests/soak/soak.py [--seconds 60] [--desktops 10] [--tabs 40] [--phones 6] [--seed 1] [--faults 1.0] [--log FILE]

Python desktops (Tests/peers, written from the protocol document) change chats and send numbered control events; tabs claim,
leave, hide and come back on the live socket; phones listen at the relay. Sockets are killed, closed, cut inside a frame,
replaced by a twin, left mute. At the end the whole must hold:

  * no control event lost or doubled, and none out of order, at any phone (an aborted socket may lose what was in flight),
  * every tab shows exactly what the desktops have,
  * no lease is left when nobody watches,
  * one socket per desktop: a twin's predecessor is closed with 4002,
  * memory and descriptors of the server are flat.

Prints one JSON line with figures; exit status 1 and sentences when something does not hold.
"""
import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "peers")]

from websockets.asyncio.client import connect  # noqa: E402
from websockets.exceptions import ConnectionClosed, InvalidHandshake  # noqa: E402

import device_link as link  # noqa: E402
from conftest import api_token, desktop_token  # noqa: E402
from live import View, cookie  # noqa: E402
from served import Chat, DesktopModel  # noqa: E402
from wheelhouse import Server  # noqa: E402

MOST_BLOCKS = 40
LOST = (ConnectionClosed, InvalidHandshake, OSError, asyncio.TimeoutError, EOFError)


async def dial(url, headers, **more):
    return await connect(url, additional_headers=headers, compression=None, ping_interval=None, max_size=link.MAX_MESSAGE,
                         open_timeout=10, close_timeout=2, proxy=None, **more)


def abort(socket):
    """Without a close frame."""
    socket.transport.abort()


def half_frame(socket):
    """The head of a frame of 16 KiB, some of it, then the end."""
    socket.transport.write(b"\x81\xfe\x40\x00\x00\x00\x00\x00" + b'{"type":"heartbeat","payload":{' + b" " * 100)
    abort(socket)


class SoakDesktop:
    """One desktop: its chats, its sockets one after the other, and what it sent on each."""

    def __init__(self, soak, index):
        self.soak, self.index = soak, index
        self.random = random.Random(f"{soak.options.seed}/desktop/{index}")
        self.device, self.token = link.new_id(), desktop_token(soak.server, f"soak-{index}")
        self.model = DesktopModel([Chat(f"Soak {index}-{n}", project=f"/home/soak/{index}") for n in range(3)])
        for chat in self.model.chats.values():
            chat.say(self.word(1, 1))
        self.socket = None
        self.session = self.resume = None
        self.generation, self.number = 0, 0
        self.sent, self.ends = {}, {}
        self.sockets = 0

    @staticmethod
    def word(seq, revision):
        return f"w{seq}v{revision}x"

    async def run(self):
        while not self.soak.over:
            try:
                await self.life()
            except LOST:
                self.soak.count("desktop reconnects")
            await asyncio.sleep(self.random.uniform(0.05, 0.4))

    async def life(self, twin_of=None):
        socket = await dial(self.soak.url + link.PATH, link.credentials(self.device, self.token, "desktop"))
        self.generation += 1
        mine = self.generation
        self.sent[mine], self.ends[mine] = [], "alive"
        try:
            held = {"session": self.session, "token": self.resume} if self.resume and self.random.random() < 0.7 else {}
            await socket.send(link.frame("register", link.registration(self.device, f"soak-{self.index}", **held)))
            while True:
                answer = json.loads(await asyncio.wait_for(socket.recv(), 10))
                if answer["type"] in ("registered", "resumed"):
                    break
                if answer["type"] == "error" and answer["code"] == "invalidResume":
                    self.soak.count("invalid resumes")
                    await socket.send(link.frame("register", link.registration(self.device, f"soak-{self.index}")))
                elif answer["type"] == "error":
                    self.soak.fail(f"a desktop could not register: {answer}")
                    return
            self.session, self.resume = answer["sessionId"], answer.get("resumeToken") or self.resume
            # Leases belong to a socket.
            self.model.forget_leases()
            self.socket = socket
            self.soak.count("desktop sockets")
            if twin_of is not None:
                asyncio.create_task(self.watch_end(twin_of))
            reader = asyncio.create_task(self.read(socket))
            try:
                await self.write(socket, mine)
            finally:
                reader.cancel()
        finally:
            if self.ends[mine] == "alive" and socket.close_code is None:
                self.ends[mine] = "abort"
            elif self.ends[mine] == "alive":
                self.ends[mine] = "lost"

    async def watch_end(self, old):
        """The predecessor of a twin must be closed."""
        for _ in range(100):
            if old.close_code is not None:
                if old.close_code != 4002:
                    self.soak.fail(f"the predecessor of a twin was closed with {old.close_code}")
                self.soak.count("twins")
                return
            await asyncio.sleep(0.05)
        self.soak.fail("two sockets of one desktop lived side by side for 5 s")

    async def read(self, socket):
        try:
            async for text in socket:
                message = json.loads(text)
                if link.underscore_key(message):
                    self.soak.fail(f"a key with an underscore reached a desktop: {text[:200]}")
                if message["type"] == "error":
                    self.soak.count(f"errors {message['code']}")
                for frame in self.model.take(message):
                    await socket.send(frame)
        except LOST:
            pass

    async def write(self, socket, mine):
        beat = 0
        while not self.soak.over and socket.close_code is None:
            await asyncio.sleep(self.random.uniform(0.08, 0.3))
            if self.soak.calm:
                if time.monotonic() - beat > 5:
                    beat = time.monotonic()
                    await socket.send(link.frame("heartbeat", {"status": "online"}))
                continue
            await self.change(socket)
            self.number += 1
            self.sent[mine].append(self.number)
            await socket.send(link.event("session-updated", {"sessionId": f"soak-{self.index}",
                                                             "session": {"generation": mine, "n": self.number}}))
            if time.monotonic() - beat > 5:
                beat = time.monotonic()
                await socket.send(link.frame("heartbeat", {"status": "online"}))
            if self.random.random() < 0.012 * self.soak.options.faults:
                if await self.misbehave(socket, mine):
                    return

    async def change(self, socket):
        chat = self.random.choice(list(self.model.chats.values()))
        if len(chat.blocks) < MOST_BLOCKS and self.random.random() < 0.3:
            chat.say(self.word(len(chat.blocks) + 1, 1))
        else:
            block = self.random.choice(chat.blocks[-6:])
            chat.put("assistant", id=block["id"], markdown=self.word(block["seq"], block["revision"] + 1) + " text" * 40)
        for frame in self.model.changed(chat.id):
            await socket.send(frame)

    async def misbehave(self, socket, mine):
        """True when this socket is over."""
        deed = self.random.choice(["kill", "kill", "half", "close", "twin", "mute"])
        self.soak.count(f"desktop {deed}")
        if deed == "mute":
            socket.transport.pause_reading()
            await asyncio.sleep(self.random.uniform(0.5, 3))
            socket.transport.resume_reading()
            return False
        if deed == "close":
            self.ends[mine] = "clean"
            await socket.close()
        elif deed == "twin":
            # What was sent on the old socket before the new one stood was sent for good: a round trip shows that.
            await self.round_trip(socket)
            self.ends[mine] = "clean"
            await self.life(twin_of=socket)
        else:
            self.ends[mine] = "abort"
            half_frame(socket) if deed == "half" else abort(socket)
        return True

    async def round_trip(self, socket):
        waiter = await socket.ping()
        await asyncio.wait_for(waiter, 10)


class SoakPhone:
    """A phone at the relay: hears every control event once, whatever happens to its socket."""

    def __init__(self, soak, desktop, index):
        self.soak, self.desktop = soak, desktop
        self.random = random.Random(f"{soak.options.seed}/phone/{index}")
        self.device = link.new_id()
        self.session = self.resume = self.last = None
        self.heard = []
        self.first = None
        self.socket = None

    async def run(self):
        while not self.soak.over:
            try:
                await self.life()
            except LOST:
                self.soak.count("phone reconnects")
            await asyncio.sleep(self.random.uniform(0.05, 1))

    async def life(self):
        fields = link.credentials(self.device, self.soak.api, "mobile", self.desktop.device)
        socket = await dial(self.soak.url + link.PATH, fields)
        self.socket = socket
        held = {"session": self.session, "token": self.resume, "last": self.last}
        if self.random.random() < 0.3:
            held.update(session=None, token=None)
        await socket.send(link.frame("register", link.registration(self.device, "soak-phone", self.desktop.device, **held)))
        ends = time.monotonic() + self.random.uniform(2, 15) / max(self.soak.options.faults, 0.01)
        beat = time.monotonic()
        watched = self.random.choice(list(self.desktop.model.chats))
        while not self.soak.over:
            if time.monotonic() - beat > 5:
                beat = time.monotonic()
                await socket.send(link.frame("heartbeat"))
            if time.monotonic() > ends and not self.soak.calm:
                self.soak.count("phone kills")
                abort(socket) if self.random.random() < 0.7 else half_frame(socket)
                return
            try:
                message = json.loads(await asyncio.wait_for(socket.recv(), 0.5))
            except asyncio.TimeoutError:
                continue
            if message["type"] in ("registered", "resumed"):
                self.session, self.resume = message["sessionId"], message.get("resumeToken") or self.resume
                if not self.soak.calm:
                    await socket.send(link.event("chat:timeline-interest", {"appSessionId": watched, "active": True}))
            elif message["type"] == "error" and message["code"] == "invalidResume":
                await socket.send(link.frame("register", link.registration(self.device, "soak-phone", self.desktop.device, last=self.last)))
            elif message["type"] == "event":
                self.event(message)

    def event(self, message):
        self.last = message["eventId"]
        kind, payload = message["payload"]["eventType"], message["payload"]["payload"]
        if kind == "event-replay-gap":
            self.soak.fail(f"a phone was told of a gap: {payload}")
        if kind == "session-updated":
            self.heard.append((payload["session"]["generation"], payload["session"]["n"]))

    def problem(self):
        """What does not hold of the events that this phone heard; None when all does."""
        numbers = [n for _, n in self.heard]
        if not numbers:
            return "a phone heard nothing at all"
        if numbers != sorted(set(numbers)):
            doubled = sorted({n for n in numbers if numbers.count(n) > 1})[:5]
            return f"control events doubled or out of order at a phone: {doubled or 'order'}"
        heard = set(numbers)
        for generation, sent in self.desktop.sent.items():
            sent = [n for n in sent if n >= numbers[0]]
            missing = [n for n in sent if n not in heard]
            end = self.desktop.ends[generation]
            # What was in flight when a socket died may be gone, but nothing before it.
            if missing and not (end in ("abort", "lost") and missing == sent[-len(missing):]):
                return (f"control events {missing[:6]} ({len(missing)}) of {sent[0]}–{sent[-1]} are lost, sent on socket {generation} of "
                        f"desktop {self.desktop.index}, which ended: {end}; the phone heard up to {numbers[-1]}")
        return None


class SoakTab:
    """One browser tab on the live socket."""

    def __init__(self, soak, index):
        self.soak, self.index = soak, index
        self.random = random.Random(f"{soak.options.seed}/tab/{index}")
        self.view, self.chat, self.claims, self.generation = None, None, 0, 0
        self.desktop = None

    async def run(self):
        while not self.soak.over:
            try:
                await self.life()
            except LOST:
                self.soak.count("tab reconnects")
            await asyncio.sleep(self.random.uniform(0.05, 0.5))

    async def life(self):
        socket = await dial(self.soak.url + "/live", {"Cookie": self.soak.cookie}, origin=self.soak.server.base)
        self.soak.count("tab sockets")
        self.generation = 1
        await self.say(socket, {"type": "hello", "tab": f"t{self.index}", "build": ""})
        await self.say(socket, {"type": "visible", "generation": 1})
        await self.claim(socket)
        ends = time.monotonic() + self.random.uniform(3, 20) / max(self.soak.options.faults, 0.01)
        moves = time.monotonic() + self.random.uniform(1, 5)
        while not self.soak.over:
            now = time.monotonic()
            if not self.soak.calm and now > ends:
                deed = self.random.choice(["kill", "half", "close", "stall"])
                self.soak.count(f"tab {deed}")
                if deed == "stall":
                    socket.transport.pause_reading()
                    await asyncio.sleep(self.random.uniform(0.5, 2))
                    socket.transport.resume_reading()
                    ends = now + self.random.uniform(3, 20)
                    continue
                if deed == "close":
                    await socket.close()
                else:
                    abort(socket) if deed == "kill" else half_frame(socket)
                return
            if not self.soak.calm and now > moves:
                moves = now + self.random.uniform(1, 5)
                await self.move(socket)
            try:
                message = json.loads(await asyncio.wait_for(socket.recv(), 0.3))
            except asyncio.TimeoutError:
                continue
            if message["type"] == "patch" and self.view is not None and message["view"] == self.name:
                self.soak.count("patches")
                # Until the snapshot of this claim comes, patches of an earlier claim on the same view may be under way.
                if self.view.epoch is None and not message.get("reset"):
                    continue
                self.view.apply(message)
                if self.view.faults:
                    self.soak.fail(f"a tab was patched wrongly: {self.view.faults[0]}")
        await socket.close()

    async def say(self, socket, message):
        await socket.send(json.dumps(message))

    async def claim(self, socket):
        self.desktop = self.random.choice(self.soak.desktops)
        self.chat = self.random.choice(list(self.desktop.model.chats.values()))
        session = self.soak.sessions.get(self.chat.id)
        self.claims += 1
        self.name, self.view = f"{session}:main", View()
        await self.say(socket, {"type": "claim", "claim": f"c{self.claims}", "view": self.name, "desktop": self.desktop.device,
                                "session": session, "thread": "main", "generation": self.generation})

    async def move(self, socket):
        old = f"c{self.claims}"
        if self.random.random() < 0.3:
            await self.say(socket, {"type": "hidden"})
            await asyncio.sleep(self.random.uniform(0.1, 1))
            self.generation += 1
            await self.say(socket, {"type": "visible", "generation": self.generation})
        await self.claim(socket)
        await self.say(socket, {"type": "release", "claim": old})

    def difference(self):
        """What this tab shows otherwise than the desktop has it; None when all is equal."""
        shown = sorted(self.view.places.values())
        wanted = [block["seq"] for block in self.chat.blocks]
        if shown != wanted:
            return f"places {shown[:3]}…{shown[-3:]} ({len(shown)}) instead of 1…{len(wanted)}"
        texts = {place: self.view.text[id] for id, place in self.view.places.items()}
        for block in self.chat.blocks:
            word = SoakDesktop.word(block["seq"], block["revision"])
            if word not in texts[block["seq"]]:
                return f"block {block['seq']} is not at revision {block['revision']}"
        return None


class Soak:
    def __init__(self, options, server):
        self.options, self.server = options, server
        self.url = server.base.replace("http", "ws", 1)
        self.over = self.calm = False
        self.failures, self.counts, self.samples = [], {}, []
        self.browser = server.pair()
        self.cookie = cookie(self.browser)
        self.api = api_token(server)
        self.desktops = [SoakDesktop(self, n) for n in range(options.desktops)]
        self.phones = [SoakPhone(self, self.desktops[n % len(self.desktops)], n) for n in range(options.phones)]
        self.tabs = [SoakTab(self, n) for n in range(options.tabs)]
        self.sessions = {}

    def fail(self, sentence):
        if len(self.failures) < 20 and sentence not in self.failures:
            self.failures.append(sentence)
            print(f"  ! {sentence}", file=sys.stderr, flush=True)

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def measure(self):
        pid = self.server.process.child.pid
        with open(f"/proc/{pid}/status") as status:
            rss = next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024
        return rss, len(os.listdir(f"/proc/{pid}/fd"))

    async def sample(self):
        while not self.over:
            self.samples.append((time.monotonic(), *self.measure()))
            await asyncio.sleep(1)

    async def until(self, condition, seconds, what):
        end = time.monotonic() + seconds
        while True:
            problem = condition()
            if not problem:
                return
            if time.monotonic() > end:
                self.fail(f"{what}: {problem}")
                return
            await asyncio.sleep(0.1)

    async def run(self):
        _, descriptors = self.measure()
        tasks = [asyncio.create_task(self.sample())]
        tasks += [asyncio.create_task(d.run()) for d in self.desktops]
        await self.find_sessions()
        tasks += [asyncio.create_task(peer.run()) for peer in self.phones + self.tabs]
        await asyncio.sleep(self.options.seconds)
        busy = self.samples[len(self.samples) // 4:]
        self.calm = True
        await self.until(self.unequal_tabs, 15, "tabs do not show what the desktops have")
        await asyncio.sleep(2)
        # Whoever was cut off a moment ago catches up first.
        await self.until(self.unheard, 15, "what the phones heard")
        self.over = True
        await asyncio.gather(*tasks[1 + len(self.desktops):], return_exceptions=True)
        for phone in self.phones:
            abort(phone.socket) if phone.socket else None
        await self.check_leases()
        for desktop in self.desktops:
            abort(desktop.socket) if desktop.socket else None
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.until(lambda: self.measure()[1] > descriptors + 2 and f"{self.measure()[1]} instead of {descriptors}", 20,
                         "descriptors are left open")
        self.check_memory(busy)

    async def find_sessions(self):
        wanted = {chat.title: chat.id for d in self.desktops for chat in d.model.chats.values()}

        def missing():
            for entry in self.browser.json("/api/v1/sessions")["sessions"]:
                if entry["title"] in wanted:
                    self.sessions[wanted[entry["title"]]] = entry["id"]
            return f"{len(wanted) - len(self.sessions)} chats missing in the list" if len(self.sessions) < len(wanted) else None
        loop = asyncio.get_running_loop()
        end = time.monotonic() + 30
        while await loop.run_in_executor(None, missing):
            if time.monotonic() > end:
                raise SystemExit("soak: the dashboard never listed all chats")
            await asyncio.sleep(0.3)

    def unequal_tabs(self):
        for tab in self.tabs:
            problem = tab.difference() if tab.view else "no view"
            if problem:
                return f"tab {tab.index}: {problem}"
        return None

    def unheard(self):
        return next((problem for problem in (phone.problem() for phone in self.phones) if problem), None)

    async def check_leases(self):
        """Everybody has gone: within seconds no desktop may hold a lease."""
        readers = [asyncio.create_task(d.read(d.socket)) for d in self.desktops if d.socket and d.socket.close_code is None]

        def held():
            now = time.monotonic()
            left = [(d.index, session) for d in self.desktops for (_, session), end in d.model.leases.items() if end > now]
            return f"{len(left)}, first {left[0]}" if left else None
        await self.until(held, 8, "leases are left behind")
        for reader in readers:
            reader.cancel()

    def check_memory(self, busy):
        early = statistics.median(rss for _, rss, _ in busy[:max(3, len(busy) // 3)])
        late = statistics.median(rss for _, rss, _ in busy[-max(3, len(busy) // 3):])
        # Replay buffers and caches fill in the first minutes: about half a MiB for each desktop's 500 events.
        is_short = self.options.seconds < 240
        allowed = early * 0.15 + 4 + self.options.desktops / 2 if is_short else early * 0.05
        self.figures = {"rssEarly": round(early, 1), "rssLate": round(late, 1), "rssEnd": round(self.measure()[0], 1),
                        "descriptorsMost": max(fds for _, _, fds in self.samples)}
        if late - early > allowed:
            self.fail(f"memory grows: {early:.1f} → {late:.1f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--desktops", type=int, default=10)
    parser.add_argument("--tabs", type=int, default=40)
    parser.add_argument("--phones", type=int, default=6)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--faults", type=float, default=1.0, help="how often things break, 1 is usual, 0 never")
    parser.add_argument("--log", help="where to keep the server's log")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        with Server(Path(folder) / "data", home=Path(folder) / "home") as server:
            soak = Soak(options, server)
            started = time.monotonic()
            asyncio.run(soak.run())
            log = server.process.text()
            alive = server.process.child.poll() is None
            code = server.process.stop()
        if not alive or code != 0:
            soak.fail(f"the server ended with {code}: {log[-500:]}")
        if "Fatal error" in log or "panic" in log:
            soak.fail("the server's log has a fatal error")
        if options.log:
            Path(options.log).write_text(log)
    print(json.dumps({"seconds": round(time.monotonic() - started), "desktops": options.desktops, "tabs": options.tabs,
                      "seed": options.seed, **soak.figures, "counts": dict(sorted(soak.counts.items())), "failures": soak.failures}))
    return 1 if soak.failures else 0


if __name__ == "__main__":
    sys.exit(main())
