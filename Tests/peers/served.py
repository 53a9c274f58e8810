"""A desktop that answers by itself: chats, timelines, leases (sections 3.5, 4.5, 5 and 7.19), as a value and on a thread.

`DesktopModel` takes messages and gives frames; the soak drives many of them with asyncio, tests drive one on a thread.
"""
import base64
import json
import threading
import time

from websockets.exceptions import ConnectionClosed

import device_link as link
from peer import Desktop

LEASE = 60.0


class Chat:
    """One session of a desktop."""

    def __init__(self, title, project="/home/ada/project", agent="claudeCode", id=None):
        self.id, self.title, self.project, self.agent = id or link.new_id(), title, project, agent
        self.blocks, self.revision, self.state, self.run = [], 0, "completed", 1
        self.updated = int(time.time() * 1000)

    def summary(self):
        return {"appSessionId": self.id, "title": self.title, "projectDirectory": self.project, "agentKind": self.agent,
                "state": self.state, "updatedAt": self.updated, "lastText": ""}

    def put(self, kind, id=None, state="complete", **fields):
        """Adds a block, or replaces the one with that id; answers its id."""
        self.revision += 1
        self.updated = now = int(time.time() * 1000)
        known = next((b for b in self.blocks if b["id"] == id), None)
        if known:
            known.update(fields, updatedAt=now, revision=known["revision"] + 1, state=state)
            return id
        seq = len(self.blocks) + 1
        block = {"id": id or f"{self.id}-{seq}", "seq": seq, "kind": kind, "threadId": "main", "runId": f"run-{self.run}",
                 "createdAt": now, "updatedAt": now, "revision": 1, "state": state, **fields}
        self.blocks.append(block)
        return block["id"]

    def say(self, text, **more):
        return self.put("assistant", markdown=text, **more)

    def ask(self, text, **more):
        return self.put("user", text=text, **more)

    def page(self, before=None, limit=200):
        older = [b for b in self.blocks if before is None or b["seq"] < before]
        return {"blocks": older[-limit:], "revision": self.revision, "hasMore": len(older) > limit}

    def snapshot(self):
        """All blocks that fit from `baseSeq` on (section 4.5)."""
        blocks, size = [], 0
        for block in reversed(self.blocks):
            size += len(json.dumps(block))
            if blocks and size > 200 << 10:
                break
            blocks.insert(0, block)
        return {"appSessionId": self.id, "runId": f"run-{self.run}", "threadId": "main", "revision": self.revision,
                "baseSeq": blocks[0]["seq"] if blocks else 1, "blocks": blocks, "removedBlockIds": [],
                "truncatedHead": bool(blocks) and blocks[0]["seq"] > 1}


class DesktopModel:
    """What a desktop knows: its chats, who watches them, and every interest that came in."""

    def __init__(self, chats=(), capabilities=("multiTimelineLease",)):
        self.chats = {chat.id: chat for chat in chats}
        self.capabilities = list(capabilities)
        self.leases = {}
        self.interests = []
        self.requests = []
        self.answers = {}

    def add(self, chat):
        self.chats[chat.id] = chat
        return chat

    def holds(self, session, now=None):
        now = now or time.monotonic()
        return any(s == session and end > now for (_, s), end in self.leases.items())

    def forget_leases(self):
        self.leases.clear()

    def take(self, message):
        """The frames that answer one message."""
        if message["type"] == "rpc.request":
            return [self.answer(message["payload"])]
        if message["type"] == "event" and message["payload"]["eventType"] == "chat:timeline-interest":
            return self.interest(message["payload"]["payload"], message.get("sourceDeviceId"))
        return []

    def interest(self, payload, phone):
        session, now = payload["appSessionId"], time.monotonic()
        self.interests.append((now, session, payload["active"]))
        if not payload["active"]:
            self.leases.pop((phone, session), None)
            return []
        was_held = self.leases.get((phone, session), 0) > now
        self.leases[phone, session] = now + min(payload.get("ttlMs", LEASE * 1000) / 1000, LEASE)
        return [] if was_held or session not in self.chats else [self.update(session)]

    def update(self, session):
        return link.event("chat:timeline-updated", self.chats[session].snapshot())

    def changed(self, session):
        """Frames after a change: the list's event, and the content when somebody watches."""
        frames = [link.event("chat:updated", {"appSessionId": session, "chat": self.chats[session].summary()})]
        return frames + ([self.update(session)] if self.holds(session) else [])

    def answer(self, request):
        self.requests.append(request)
        method, params = request["method"], request.get("params") or {}
        if link.underscore_key(params):
            return link.response(request, error={"code": -32602, "message": "a key holds an underscore"})
        chat = self.chats.get(params.get("appSessionId"))
        if method == "system.ping":
            return link.response(request, {"pong": True, "timestamp": int(time.time() * 1000)})
        if method == "system.getInfo":
            return link.response(request, {"status": "online", "version": "peer", "capabilities": self.capabilities,
                                           "timestamp": int(time.time() * 1000)})
        if method == "chat.list":
            return link.response(request, {"chats": [c.summary() for c in self.chats.values()]})
        if method == "app.getUserHomeDirectory":
            return link.response(request, {"homeDirectory": "/home/ada"})
        if not method.startswith("chat."):
            return link.response(request, error={"code": -32601, "message": "no such method"})
        if chat is None:
            return link.response(request, error={"code": -32002, "message": "no such chat"})
        if method == "chat.get":
            detail = {**chat.summary(), "threads": [{"threadId": "main", "title": chat.title, "kind": "main"}],
                      "pendingApprovals": [], "revision": chat.revision}
            return link.response(request, {"chat": detail})
        if method == "chat.getTimeline":
            return link.response(request, chat.page(params.get("beforeSeq"), params.get("limit", 200)))
        if method == "chat.getBlock":
            block = next((b for b in chat.blocks if b["id"] == params.get("blockId")), None)
            if block is None:
                return link.response(request, error={"code": -32002, "message": "no such block"})
            return link.response(request, {"block": block})
        return link.response(request, error={"code": -32601, "message": "no such method"})


class ServedDesktop(Desktop):
    """A registered desktop on a thread of its own."""

    def __init__(self, base, token, model, device=None, name="peer-desktop"):
        super().__init__(base, token, device=device, name=name)
        self.model, self.lock = model, threading.RLock()
        self.heard = []
        self.register()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        beat = time.monotonic()
        while True:
            try:
                message = self.unread.pop(0) if self.unread else self._receive(0.5)
                with self.lock:
                    self.heard.append(message)
                    frames = self.model.take(message)
                for text in frames:
                    self.socket.send(text)
            except TimeoutError:
                pass
            except (ConnectionClosed, OSError):
                return
            if time.monotonic() - beat > 5:
                beat = time.monotonic()
                try:
                    self.send("heartbeat", self.heartbeat_payload())
                except (ConnectionClosed, OSError):
                    return

    def change(self, session, work):
        """Changes a chat and tells whoever may know."""
        with self.lock:
            value = work(self.model.chats[session])
            frames = self.model.changed(session)
        for text in frames:
            self.socket.send(text)
        return value


def picture():
    """The smallest PNG: one grey pixel."""
    return base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==")
