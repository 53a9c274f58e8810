"""Clients of a relay over PyPI's `websockets`, one frame at a time: what a test says and hears is written out in the test."""
import json
import socket
import time

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import device_link as link


class Peer:
    """One socket at a relay. Messages that were received and not yet asked for wait in `unread`, in order."""

    role = None

    def __init__(self, base, token, device=None, target=None, name="peer", headers=None, max_queue=16):
        self.base, self.token, self.device, self.target, self.name = base, token, device or link.new_id(), target, name
        self.unread, self.close_code, self.max_queue = [], None, max_queue
        self.session = self.resume = self.last_event = None
        self.socket = self.open(headers or link.credentials(self.device, token, self.role, target))

    def open(self, headers, tries=20):
        """A token made a moment ago may be unknown for a moment: 503, try again."""
        for attempt in range(tries):
            try:
                return connect(self.base.replace("http", "ws", 1) + link.PATH, additional_headers=headers, compression=None,
                               max_size=link.MAX_MESSAGE, ping_interval=None, open_timeout=10, close_timeout=2,
                               max_queue=self.max_queue)
            except InvalidStatus as refusal:
                if refusal.response.status_code != 503 or attempt == tries - 1:
                    raise
                time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def kill(self):
        """Ends the connection without a close frame."""
        try:
            # Closing alone would wait for the thread that reads.
            self.socket.socket.shutdown(socket.SHUT_RDWR)
            self.socket.socket.close()
        except OSError:
            pass

    def close(self):
        self.socket.close()

    # sending

    def send(self, kind, payload=None):
        self.socket.send(link.frame(kind, payload))

    def send_text(self, text):
        self.socket.send(text)

    def event(self, kind, payload):
        self.socket.send(link.event(kind, payload))

    # receiving

    def _receive(self, seconds):
        try:
            message = self.socket.recv(timeout=max(0, seconds))
        except ConnectionClosed as closed:
            self.close_code = closed.rcvd.code if closed.rcvd else 1006
            raise
        if isinstance(message, bytes):
            return {"type": "(binary)", "bytes": message}
        value = json.loads(message)
        assert link.underscore_key(value) is None, f"a key with an underscore came from the relay: {message[:300]}"
        if value.get("type") == "event" and isinstance(value.get("eventId"), int):
            self.last_event = value["eventId"]
        return value

    def take(self, wanted, seconds=5, what=None):
        """The next message that is wanted: a `type`, or a function of the message. Others wait their turn."""
        matches = wanted if callable(wanted) else lambda message: message.get("type") == wanted
        for index, message in enumerate(self.unread):
            if matches(message):
                return self.unread.pop(index)
        end = time.monotonic() + seconds
        while True:
            try:
                message = self._receive(end - time.monotonic())
            except TimeoutError:
                raise AssertionError(f"waited {seconds} s for {what or wanted}; unread: {short(self.unread)}") from None
            except ConnectionClosed:
                raise AssertionError(f"closed with {self.close_code} while waiting for {what or wanted}; "
                                     f"unread: {short(self.unread)}") from None
            if matches(message):
                return message
            self.unread.append(message)

    def take_event(self, kind, seconds=5):
        """The next event of this type: the whole frame."""
        return self.take(lambda m: m.get("type") == "event" and m["payload"]["eventType"] == kind, seconds, f"event {kind}")

    def take_error(self, *codes, seconds=5):
        error = self.take("error", seconds)
        assert not codes or error["code"] in codes, error
        return error

    def settle(self, seconds=0.3):
        """Takes in whatever still comes, and what waits; answers and forgets it."""
        end = time.monotonic() + seconds
        try:
            while True:
                self.unread.append(self._receive(end - time.monotonic()))
        except (TimeoutError, ConnectionClosed):
            pass
        heard, self.unread = self.unread, []
        return heard

    def round_trip(self):
        """A heartbeat and its pong: everything sent before was seen by the relay."""
        self.send("heartbeat", self.heartbeat_payload())
        self.take("pong")

    def heartbeat_payload(self):
        return {}

    def wait_closed(self, seconds=5):
        """The code with which the relay closed."""
        end = time.monotonic() + seconds
        try:
            while True:
                self.unread.append(self._receive(end - time.monotonic()))
        except ConnectionClosed:
            return self.close_code
        except TimeoutError:
            raise AssertionError(f"still open after {seconds} s; unread: {short(self.unread)}") from None

    # registration

    def registration(self, **changes):
        return {**link.registration(self.device, self.name, self.target), **changes}

    def register(self, session=None, token=None, last=None, **changes):
        """Registers and answers the relay's `registered` or `resumed`."""
        self.send("register", {**link.registration(self.device, self.name, self.target, session, token, last), **changes})
        answer = self.take(lambda m: m["type"] in ("registered", "resumed", "error"), what="the answer to register")
        assert answer["type"] != "error", answer
        self.session = answer.get("sessionId") or self.session
        self.resume = answer.get("resumeToken") or self.resume
        return answer


class Phone(Peer):
    """The mobile role: asks one desktop."""

    role = "mobile"
    calls = 0

    def ask(self, method, params=None, key=None, id=None, **more):
        """Sends a request and answers its id."""
        Phone.calls += 1
        id = id or f"r-{Phone.calls}"
        payload = {"id": id, "method": method, "params": params or {}, "traceparent": link.traceparent(), **more}
        if key:
            payload["idempotencyKey"] = key
        self.traces = {**getattr(self, "traces", {}), id: link.trace_id(payload["traceparent"])}
        self.send("rpc.request", payload)
        return id

    def answer(self, id, seconds=5):
        """The payload of the next response to that request."""
        return self.take(lambda m: m["type"] == "rpc.response" and m["payload"].get("id") == id, seconds,
                         f"the answer to {id}")["payload"]

    def call(self, method, params=None, key=None, seconds=5):
        return self.answer(self.ask(method, params, key), seconds)

    def watch(self, session, active=True):
        self.event("chat:timeline-interest", {"appSessionId": session, "active": active})


class Desktop(Peer):
    """The desktop role, driven by hand; `ServedDesktop` answers by itself."""

    role = "desktop"

    def heartbeat_payload(self):
        return {"status": "online"}

    def request(self, seconds=5):
        """The payload of the next `rpc.request`, other than what the dashboard asks by itself."""
        return self.take(lambda m: m["type"] == "rpc.request", seconds)["payload"]

    def request_of(self, client, seconds=5):
        return self.take(lambda m: m["type"] == "rpc.request" and m["payload"]["clientId"] == client, seconds,
                         f"a request of {client}")["payload"]

    def respond(self, request, result=None, error=None, **more):
        self.socket.send(link.response(request, result, error, **more))


def short(messages):
    return [json.dumps(m, default=repr)[:200] for m in messages[-12:]]
