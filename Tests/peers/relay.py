"""A relay that our own clients connect to (sections 2 and 8), on threads. It records every frame with its time and does what a
test tells it: refuse, forget sessions, say nothing, close, send nonsense."""
import json
import queue
import secrets
import socket
import string
import threading
import time

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve

import device_link as link

ALPHABET = string.ascii_letters + string.digits


def random_text(count):
    return "".join(secrets.choice(ALPHABET) for _ in range(count))


class Client:
    """One socket that was accepted: what it said, and what it is told."""

    def __init__(self, relay, socket):
        self.relay, self.socket = relay, socket
        self.headers, self.path = socket.request.headers, socket.request.path
        self.opened, self.closed = time.monotonic(), None
        self.frames = []
        self.inbox = queue.Queue()
        self.unread = []
        self.counter = 0
        self.registered = threading.Event()
        self.code = None

    def send(self, message):
        self.socket.send(json.dumps(message))

    def send_text(self, text):
        self.socket.send(text)

    def event(self, kind, payload, source):
        self.counter += 1
        self.send({"type": "event", "eventId": self.counter, "sourceDeviceId": source, "targetDeviceId": None,
                   "timestamp": "2026-11-30T09:00:00.000Z", "payload": {"eventType": kind, "payload": payload}})

    def interest(self, session, active=True, phone="aaaaaaaa-0000-4000-8000-000000000001", **more):
        self.event("chat:timeline-interest", {"appSessionId": session, "active": active, **more}, phone)

    def ask(self, method, params=None, id=None, phone="aaaaaaaa-0000-4000-8000-000000000001", **more):
        id = id or "r-" + random_text(8)
        self.send({"type": "rpc.request", "payload": {
            "id": id, "method": method, "params": params or {}, "traceparent": link.traceparent(), "clientId": phone,
            "userId": "eeeeeeee-0000-4000-8000-000000000003", **more}})
        return id

    def call(self, method, params=None, seconds=10, **more):
        return self.answer(self.ask(method, params, **more), seconds)

    def answer(self, id, seconds=10):
        return self.take(lambda m: m["type"] == "rpc.response" and m["payload"]["id"] == id, seconds, f"answer {id}")["payload"]

    def take(self, wanted, seconds=10, what=None):
        """The next frame that is wanted: a `type`, or a function of the message."""
        matches = wanted if callable(wanted) else lambda message: message["type"] == wanted
        end = time.monotonic() + seconds
        for index, message in enumerate(self.unread):
            if matches(message):
                return self.unread.pop(index)
        while True:
            try:
                message = self.inbox.get(timeout=max(0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"waited {seconds} s for {what or wanted}; unread: "
                                     f"{[json.dumps(m)[:150] for m in self.unread[-8:]]}") from None
            if matches(message):
                return message
            self.unread.append(message)

    def take_event(self, kind, seconds=10):
        return self.take(lambda m: m["type"] == "event" and m["payload"]["eventType"] == kind, seconds, f"event {kind}")["payload"]["payload"]

    def events(self, kind):
        """Every event of this type so far."""
        return [m["payload"]["payload"] for _, m in list(self.frames)
                if m["type"] == "event" and m["payload"]["eventType"] == kind]

    def times(self, kind):
        return [at for at, m in list(self.frames) if m["type"] == kind]

    def kill(self):
        """Ends the connection without a close frame."""
        try:
            # Closing alone would wait for the thread that reads.
            self.socket.socket.shutdown(socket.SHUT_RDWR)
            self.socket.socket.close()
        except OSError:
            pass

    def close(self, code=1000, reason=""):
        self.socket.close(code, reason)

    def run(self):
        try:
            for text in self.socket:
                message = json.loads(text)
                found = link.underscore_key(message)
                if found is not None:
                    self.relay.faults.append(f"a key with an underscore: {found} in {text[:300]}")
                self.frames.append((time.monotonic(), message))
                self.relay.react(self, message)
                self.inbox.put(message)
        except (ConnectionClosed, OSError):
            pass
        finally:
            self.closed = time.monotonic()
            self.code = self.socket.close_code


class Relay:
    """The server. `react` answers as the document says unless a switch is set."""

    def __init__(self, port=0):
        self.clients, self.sessions, self.faults, self.attempts = [], {}, [], []
        self.refuse = None
        self.is_mute = False
        self.forgets = 0
        self.rotates = True
        self.arrived = queue.Queue()
        self.server = serve(self.accept, "127.0.0.1", port, process_request=self.check, compression=None,
                            max_size=link.MAX_MESSAGE, ping_interval=None, close_timeout=1)
        self.port = self.server.socket.getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        for client in self.clients:
            client.kill()

    def check(self, socket, request):
        self.attempts.append((time.monotonic(), request.path))
        if self.refuse:
            return socket.respond(self.refuse, "refused\n")
        return None

    def accept(self, socket):
        client = Client(self, socket)
        self.clients.append(client)
        self.arrived.put(client)
        client.run()

    def next_client(self, seconds=15):
        """The next socket that a client opened."""
        try:
            return self.arrived.get(timeout=seconds)
        except queue.Empty:
            raise AssertionError(f"nobody connected within {seconds} s") from None

    def react(self, client, message):
        if self.is_mute:
            return
        if message["type"] in ("heartbeat", "ping"):
            client.send({"type": "pong"})
        if message["type"] != "register":
            return
        payload = message["payload"]
        held = payload.get("sessionId"), payload.get("resumeToken")
        if all(held):
            if self.forgets > 0 or self.sessions.get(held[0]) != held[1]:
                self.forgets -= self.forgets > 0
                client.send({"type": "error", "code": "invalidResume", "message": "Session cannot be resumed",
                             "timestamp": "2026-11-30T09:00:00.000Z"})
                return
            answer = {"type": "resumed", "sessionId": held[0], "expiresAt": "2030-01-01T00:00:00Z"}
            if self.rotates:
                answer["resumeToken"] = self.sessions[held[0]] = random_text(48)
        else:
            session, token = random_text(32), random_text(48)
            self.sessions[session] = token
            answer = {"type": "registered", "sessionId": session, "resumeToken": token, "expiresAt": "2030-01-01T00:00:00Z"}
        client.send(answer)
        client.registered.set()
