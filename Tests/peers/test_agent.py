"""Our agent, `wheelhouse desktop`, at a relay that is not ours: registration, resume, answers, leases, bad relays (RD1 to RD13)."""
import json
import os
import time

import pytest

import device_link as link
from claude import Transcript
from conftest import gap
from relay import Relay
from wheelhouse import Process, wait_for

SLOW = pytest.mark.skipif(not os.environ.get("WHEELHOUSE_SLOW"), reason="takes minutes: set WHEELHOUSE_SLOW=1")


class Stage:
    """A relay, a home with one chat, and the agent."""

    def __init__(self, folder):
        self.folder = folder
        self.relay = Relay()
        self.transcript = Transcript(folder / "home")
        self.transcript.append(self.transcript.user("first prompt"), self.transcript.assistant("first answer"))
        self.agent = None

    def start(self):
        self.agent = Process(["desktop", "--server", self.relay.base, "--token", "secret-token", "--name", "studio", "--home",
                              self.folder / "home"], self.folder / "agent.log")
        return self

    def client(self, seconds=15):
        client = self.relay.next_client(seconds)
        assert client.registered.wait(10), "the agent did not register"
        return client

    def chat(self, client):
        def found():
            chats = client.call("chat.list")["result"]["chats"]
            return chats and chats[0]
        return wait_for(found, what="the chat in chat.list")


@pytest.fixture
def stage(tmp_path):
    made = Stage(tmp_path)
    yield made.start()
    made.agent.kill()
    made.relay.__exit__()
    assert made.relay.faults == []


# Registration

def test_RD1_R27_the_upgrade_and_the_first_frame_are_as_written(stage):
    client = stage.client()
    fields = client.headers
    device = fields["X-Device-ID"]
    assert client.path == link.PATH and fields["Authorization"] == "Bearer secret-token"
    assert fields["X-Client-Type"] == "desktop" and fields["X-Token-Binding"] == device == device.lower()
    assert "X-Target-Desktop-Device-ID" not in fields and fields["Sec-WebSocket-Version"] == "13"
    first = client.frames[0][1]
    assert first["type"] == "register"
    payload = first["payload"]
    assert payload["deviceId"] == device and payload["deviceName"] == "studio" and payload["relayProtocolVersion"] == "1.6"
    assert not {"sessionId", "resumeToken", "targetDesktopDeviceId"} & set(payload)


def test_the_device_id_survives_a_restart_of_the_agent(stage):
    device = stage.client().headers["X-Device-ID"]
    stage.agent.kill()
    stage.start()
    assert stage.client().headers["X-Device-ID"] == device


@gap("the agent sends chat:list-invalidated in its place")
def test_RD4_a_session_snapshot_follows_the_registration(stage):
    client = stage.client()
    client.take_event("session-snapshot")


def test_R30_RD5_heartbeats_come_every_5_s_and_none_before_registration(stage):
    client = stage.client()
    wait_for(lambda: len(client.times("heartbeat")) >= 3, 20, "three heartbeats")
    beats = client.times("heartbeat")
    assert client.times("register")[0] < beats[0]
    assert all(4.5 < b - a < 6.5 for a, b in zip(beats, beats[1:]))
    assert client.take("heartbeat")["payload"]["status"] == "online"


def test_R20_RD5_a_websocket_ping_is_answered_with_its_payload(stage):
    client = stage.client()
    assert client.socket.ping("payload").wait(5)


def test_RD2_it_dials_again_after_1_2_4_s_and_starts_over_once_registered(stage):
    stage.client()
    stage.relay.refuse = 503
    count = len(stage.relay.attempts)
    started = time.monotonic()
    stage.relay.clients[0].kill()
    wait_for(lambda: len(stage.relay.attempts) >= count + 3, 20, "three attempts")
    waits = [at - started for at, _ in stage.relay.attempts[count:count + 3]]
    gaps = [waits[0], waits[1] - waits[0], waits[2] - waits[1]]
    for gap, wanted in zip(gaps, (1, 2, 4)):
        assert wanted * 0.7 < gap < wanted * 1.4 + 0.5, gaps
    stage.relay.refuse = None
    again = stage.client(20)
    before = time.monotonic()
    again.kill()
    stage.client()
    assert time.monotonic() - before < 2


def test_R27_a_session_is_resumed_with_its_newest_token_after_a_drop(stage):
    client = stage.client()
    session, token = next(iter(stage.relay.sessions.items()))
    client.event("active-session-changed", {"sessionId": "s"}, link.new_id())
    wait_for(lambda: client.times("event-ack"), 10, "an acknowledgement")
    client.kill()
    second = stage.client()
    payload = second.frames[0][1]["payload"]
    assert (payload["sessionId"], payload["resumeToken"]) == (session, token) and payload["lastEventId"] == 1
    rotated = stage.relay.sessions[session]
    assert rotated != token
    second.kill()
    assert stage.client().frames[0][1]["payload"]["resumeToken"] == rotated


def test_R34_RD3_after_invalidResume_it_registers_without_the_token_on_the_same_socket_and_keeps_the_number(stage):
    client = stage.client()
    client.event("active-session-changed", {"sessionId": "s"}, link.new_id())
    wait_for(lambda: client.times("event-ack"), 10, "an acknowledgement")
    stage.relay.forgets = 1
    client.kill()
    second = stage.client()
    registers = [(at, m["payload"]) for at, m in second.frames if m["type"] == "register"]
    assert len(registers) == 2
    assert "resumeToken" in registers[0][1] and not {"sessionId", "resumeToken"} & set(registers[1][1])
    assert registers[1][1]["lastEventId"] == 1
    assert 0.15 < registers[1][0] - registers[0][0] < 1


def test_R35_a_storm_of_invalid_resumes_does_not_become_a_storm_of_registrations(stage):
    stage.client()
    stage.relay.forgets = 1000
    for _ in range(6):
        stage.relay.clients[-1].kill()
        try:
            stage.relay.next_client(10)
        except AssertionError:
            break
        time.sleep(0.5)
    registers = sum(len(c.times("register")) for c in stage.relay.clients)
    assert registers <= 16


def test_R28_a_relay_that_never_answers_is_left_after_10_s(tmp_path):
    stage = Stage(tmp_path)
    stage.relay.is_mute = True
    stage.start()
    try:
        client = stage.relay.next_client()
        wait_for(lambda: client.closed, 16, "the end of the handshake")
        assert 9 < client.closed - client.opened < 12.5
    finally:
        stage.agent.kill()
        stage.relay.__exit__()


def test_R31_a_relay_that_falls_silent_is_left_after_15_s(stage):
    client = stage.client()
    stage.relay.is_mute = True
    started = time.monotonic()
    wait_for(lambda: client.closed, 25, "the watchdog")
    assert 9 < client.closed - started < 17


@pytest.mark.parametrize("status", [401, 403])
def test_RD1_a_refused_token_ends_the_agent_with_a_sentence(tmp_path, status):
    stage = Stage(tmp_path)
    stage.relay.refuse = status
    stage.start()
    try:
        assert stage.agent.child.wait(20) == 78
        assert "token" in stage.agent.text()
        assert len(stage.relay.attempts) == 1
    finally:
        stage.agent.kill()
        stage.relay.__exit__()


@pytest.mark.parametrize("code", [1000, 1001, 1011, 1012, 1013])
def test_after_a_close_it_comes_back(stage, code):
    stage.client().close(code, "restart")
    stage.client()


# Calls

def test_RD9_R41_R42_answers_carry_the_id_the_client_and_the_trace(stage):
    client = stage.client()
    trace = link.traceparent()
    answer = client.call("system.ping", phone="p-1", id="same", traceparent=trace)
    assert answer["clientId"] == "p-1" and answer["result"]["pong"] is True and answer["error"] is None and answer["isFinal"]
    assert link.trace_id(answer["traceparent"]) == link.trace_id(trace) and answer["traceparent"] != trace


def test_RD6_requests_of_several_phones_with_one_id_are_all_answered(stage):
    client = stage.client()
    phones = [link.new_id() for _ in range(20)]
    for phone in phones:
        client.ask("chat.list", id="one", phone=phone)
    answered = {client.take("rpc.response")["payload"]["clientId"] for _ in phones}
    assert answered == set(phones)


def test_R36_an_unknown_method_is_32601_and_a_keyless_change_is_refused(stage):
    client = stage.client()
    assert client.call("x.y")["error"]["code"] == -32601
    chat = stage.chat(client)
    answer = client.call("chat.sendMessage", {"appSessionId": chat["appSessionId"], "text": "hello"})
    assert answer["error"] is not None


@gap("the request is dropped without an answer, so the caller waits for its time-out")
@pytest.mark.parametrize("params", [{"app_session": 1}, {"a": [{"b": {"c_d": 1}}]}])
def test_RD7_a_key_with_an_underscore_in_params_is_32602(stage, params):
    assert stage.client().call("chat.list", params)["error"]["code"] == -32602


@pytest.mark.parametrize("text", ["{", "[]", "7", '{"type":"rpc.request"}', '{"type":"rpc.request","payload":{"method":7}}',
                                  '{"type":"event","payload":{"eventType":"chat:timeline-interest","payload":{"appSessionId":7,"active":"yes"}}}',
                                  '{"type":"registered","sessionId":7}', '{"type":"nonsense","payload":{"x":1}}',
                                  '{"type":"error","code":"invalidPayload","message":"m","timestamp":"t"}',
                                  '{"type":"rpc.response","payload":{"id":"unknown","result":1,"isFinal":true}}'])
def test_a_malformed_frame_of_the_relay_costs_nothing(stage, text):
    client = stage.client()
    client.send_text(text)
    assert client.call("system.ping")["result"]["pong"] is True
    assert len(stage.relay.clients) == 1


def test_lists_pages_and_blocks_are_as_written(stage):
    client = stage.client()
    chat = stage.chat(client)
    assert chat["title"] and chat["projectDirectory"] == "/home/dev/app" and chat["agentKind"] == "claudeCode"
    assert isinstance(chat["updatedAt"], int) and chat["state"]
    page = client.call("chat.getTimeline", {"appSessionId": chat["appSessionId"], "limit": 1})["result"]
    assert page["hasMore"] is True and len(page["blocks"]) == 1 and isinstance(page["revision"], int)
    last = page["blocks"][0]
    older = client.call("chat.getTimeline", {"appSessionId": chat["appSessionId"], "beforeSeq": last["seq"]})["result"]
    assert older["hasMore"] is False and all(b["seq"] < last["seq"] for b in older["blocks"])
    blocks = older["blocks"] + [last]
    assert [b["seq"] for b in blocks] == sorted({b["seq"] for b in blocks})
    for block in blocks:
        assert {"id", "seq", "kind", "threadId", "createdAt", "updatedAt", "revision", "state"} <= set(block)
    assert [b["text"] for b in blocks if b["kind"] == "user"] == ["first prompt"]
    assert [b["markdown"] for b in blocks if b["kind"] == "assistant"] == ["first answer"]
    assert client.call("chat.getTimeline", {"appSessionId": link.new_id()})["error"]["code"] == -32002


@pytest.mark.parametrize("limit, before", [(0, None), (-1, None), (10**9, None), (None, -1), (None, 0), (None, 2**62)])
def test_odd_pages_are_answered_not_crashed_on(stage, limit, before):
    client = stage.client()
    params = {"appSessionId": stage.chat(client)["appSessionId"]}
    params.update({k: v for k, v in (("limit", limit), ("beforeSeq", before)) if v is not None})
    answer = client.call("chat.getTimeline", params)
    assert answer["error"] is not None or len(answer["result"]["blocks"]) <= 200
    assert client.call("system.ping")["result"]["pong"]


def test_RD13_a_long_body_is_cut_and_read_in_exact_pieces(stage):
    text = "".join(f"line {n} ü\n" for n in range(60_000))
    stage.transcript.append(stage.transcript.assistant(text))
    client = stage.client()
    session = stage.chat(client)["appSessionId"]

    def cut():
        blocks = client.call("chat.getTimeline", {"appSessionId": session})["result"]["blocks"]
        return next((b for b in blocks if b.get("bodyTruncated")), None)
    block = wait_for(cut, what="the long block")
    whole, offset = b"", 0
    while offset is not None:
        import base64
        part = client.call("chat.getBlock", {"appSessionId": session, "blockId": block["id"], "offset": offset, "length": 524288})
        assert part["error"] is None, part
        chunk = part["result"]
        data = base64.b64decode(chunk["dataBase64"])
        assert chunk["offset"] == offset and len(data) == chunk["length"] <= 524288
        whole += data
        offset = chunk["nextOffset"]
    assert whole.decode() == text and len(whole) == block["bodyBytes"]
    beyond = client.call("chat.getBlock", {"appSessionId": session, "blockId": block["id"], "offset": 2**62, "length": 524288})
    assert beyond["error"] is not None


# Leases

def test_RD10_RD11_content_flows_only_while_a_lease_is_held(stage):
    client = stage.client()
    session = stage.chat(client)["appSessionId"]
    script = stage.transcript
    script.append(script.user("nobody watches"))
    client.take_event("chat:updated")
    time.sleep(0.5)
    assert client.events("chat:timeline-updated") == []
    client.interest(session)
    first = client.take_event("chat:timeline-updated", 5)
    assert first["appSessionId"] == session and first["threadId"] == "main" and len(json.dumps(first)) <= 256 << 10
    script.append(script.assistant("while it is watched"))

    def seen():
        return any("while it is watched" in json.dumps(update) for update in client.events("chat:timeline-updated"))
    wait_for(seen, 10, "the new block in an update")
    revisions = [u["revision"] for u in client.events("chat:timeline-updated")]
    assert revisions == sorted(revisions)
    client.interest(session, active=False)
    client.call("system.ping")
    count = len(client.events("chat:timeline-updated"))
    script.append(script.user("after it was left"))
    time.sleep(1.5)
    assert len(client.events("chat:timeline-updated")) == count


def test_RD10_a_lease_ends_by_its_own_life(stage):
    client = stage.client()
    session = stage.chat(client)["appSessionId"]
    client.interest(session, ttlMs=1500)
    client.take_event("chat:timeline-updated", 5)
    time.sleep(2.5)
    count = len(client.events("chat:timeline-updated"))
    stage.transcript.append(stage.transcript.user("too late"))
    time.sleep(1.5)
    assert len(client.events("chat:timeline-updated")) == count


def test_leases_do_not_outlive_the_socket(stage):
    client = stage.client()
    session = stage.chat(client)["appSessionId"]
    client.interest(session)
    client.take_event("chat:timeline-updated", 5)
    client.kill()
    second = stage.client()
    stage.transcript.append(stage.transcript.user("on a new socket"))
    second.take_event("chat:updated")
    time.sleep(1)
    assert second.events("chat:timeline-updated") == []
    second.interest(session)
    assert "on a new socket" in json.dumps(second.take_event("chat:timeline-updated", 5))


def test_updates_of_one_chat_keep_100_ms_distance_and_the_last_state_comes(stage):
    client = stage.client()
    session = stage.chat(client)["appSessionId"]
    client.interest(session)
    client.take_event("chat:timeline-updated", 5)
    script = stage.transcript
    for n in range(100):
        script.append(script.user(f"burst {n}."))
        time.sleep(0.01)
    wait_for(lambda: any("burst 99." in json.dumps(u) for u in client.events("chat:timeline-updated")), 15, "the last one")
    times = [at for at, m in client.frames if m["type"] == "event" and m["payload"]["eventType"] == "chat:timeline-updated"]
    gaps = [b - a for a, b in zip(times[1:], times[2:])]
    assert all(gap > 0.05 for gap in gaps), min(gaps)


@SLOW
def test_RD10_a_lease_without_renewal_ends_after_60_s(stage):
    client = stage.client()
    session = stage.chat(client)["appSessionId"]
    client.interest(session)
    client.take_event("chat:timeline-updated", 5)
    time.sleep(63)
    count = len(client.events("chat:timeline-updated"))
    stage.transcript.append(stage.transcript.user("an hour later"))
    client.take_event("chat:updated")
    time.sleep(1)
    assert len(client.events("chat:timeline-updated")) == count
