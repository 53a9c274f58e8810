"""The built-in relay from outside: who may connect, register, resume; what a malformed frame costs (RS1 to RS9, RS16)."""
import datetime
import json
import socket
import time

import pytest
from websockets.exceptions import InvalidStatus

import device_link as link
from conftest import desktop_token, gap
from peer import Desktop, Phone
from wheelhouse import wait_for

DESKTOP = "dddddddd-0000-4000-8000-000000000002"


def refused(base, fields):
    """The status that a refused upgrade is answered with."""
    with pytest.raises(InvalidStatus) as refusal:
        Desktop(base, "unused", headers=fields)
    return refusal.value.response.status_code


# RS1: the upgrade

@pytest.mark.parametrize("change", [
    {"Authorization": None}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic d2hvOmFtSQ=="},
    {"X-Device-ID": None}, {"X-Device-ID": "no-uuid"}, {"X-Token-Binding": None}, {"X-Token-Binding": link.new_id()},
    {"X-Token-Binding": DESKTOP.upper()}, {"X-Client-Type": None}, {"X-Client-Type": "tablet"},
], ids=lambda change: "-".join(f"{k}={str(v)[:12]}" for k, v in change.items()))
def test_RS1_an_upgrade_without_matching_credentials_is_401(server, change):
    fields = {**link.credentials(DESKTOP, desktop_token(server), "desktop"), **change}
    assert refused(server.base, {k: v for k, v in fields.items() if v is not None}) == 401


def test_RS1_a_device_id_in_upper_case_is_the_same_device(bench):
    token = desktop_token(bench.server)
    fields = link.credentials(DESKTOP, token, "desktop")
    desktop = Desktop(bench.base, token, device=DESKTOP, headers={**fields, "X-Device-ID": DESKTOP.upper()})
    bench.peers.append(desktop)
    assert desktop.register()["type"] == "registered"


def test_RS1_a_phone_needs_a_target_and_a_token_of_its_own(bench):
    phone = link.credentials(link.new_id(), bench.api, "mobile")
    assert refused(bench.base, phone) == 401
    desktops = link.credentials(link.new_id(), desktop_token(bench.server), "mobile", DESKTOP)
    assert refused(bench.base, desktops) == 401
    as_desktop = link.credentials(link.new_id(), bench.api, "desktop")
    assert refused(bench.base, as_desktop) == 401


def test_R20_the_handshake_is_version_13_and_a_ping_is_answered_with_its_payload(bench):
    desktop = bench.desktop()
    assert desktop.socket.response.headers["Sec-WebSocket-Accept"]
    assert desktop.socket.ping("four").wait(5), "no pong"


def test_a_plain_request_is_no_upgrade(server):
    status, _, _ = server.pair().open(link.PATH)
    assert status in (400, 401, 426)


# RS2: register comes first

@pytest.mark.parametrize("kind, payload", [
    ("heartbeat", {}), ("rpc.request", {"id": "r", "method": "system.ping", "params": {}}),
    ("event", {"eventType": "session-updated", "payload": {"sessionId": "s"}}), ("event-ack", {"lastEventId": 1}),
])
def test_RS2_nothing_goes_before_register(bench, kind, payload):
    desktop = bench.desktop()
    early = bench.phone(desktop, register=False)
    early.send(kind, payload)
    error = early.take_error("authRequired", "invalidPayload")
    assert error["message"] and error["timestamp"]
    desktop.round_trip()
    assert not [m for m in desktop.settle() if m.get("sourceDeviceId") == early.device
                or m.get("payload", {}).get("clientId") == early.device]


def test_RS2_who_does_not_register_within_10_s_is_closed(bench):
    silent = bench.desktop(register=False)
    started = time.monotonic()
    silent.wait_closed(seconds=14)
    assert 8 < time.monotonic() - started < 13


# RS3, versions, targets

def test_RS3_another_device_than_the_credentials_name_is_refused_and_closed(bench):
    desktop = bench.desktop(register=False)
    desktop.send("register", desktop.registration(deviceId=link.new_id()))
    assert desktop.take_error("deviceOwnershipFailed", "invalidDeviceId")
    desktop.wait_closed()


def test_RS3_a_token_serves_only_the_desktop_that_used_it_first(bench):
    first = bench.desktop()
    first.round_trip()

    def is_refused():
        try:
            Desktop(bench.base, first.token, device=link.new_id()).kill()
        except InvalidStatus as refusal:
            return refusal.response.status_code == 401
    wait_for(is_refused, 5, "the second device to be refused")


@gap("any target is accepted, section 2.4 wants deviceOwnershipFailed")
def test_RS3_a_phone_cannot_register_for_what_was_never_a_desktop_here(bench):
    phone = bench.phone(link.new_id(), register=False)
    phone.send("register", phone.registration())
    phone.take_error("deviceOwnershipFailed")
    phone.wait_closed()


def test_a_phone_may_register_for_a_desktop_that_is_offline(bench):
    desktop = bench.desktop()
    desktop.close()
    assert bench.phone(desktop).session


def test_header_and_payload_must_name_the_same_target(bench):
    one, two = bench.desktop(), bench.desktop()
    phone = bench.phone(one, register=False)
    phone.send("register", phone.registration(targetDesktopDeviceId=two.device))
    phone.take_error("targetMismatch")
    phone.wait_closed()


@pytest.mark.parametrize("version", ["1.0", "1.6", "1.99", None])
def test_versions_1_x_and_a_missing_one_are_accepted(bench, version):
    desktop = bench.desktop(register=False)
    members = desktop.registration()
    members.pop("relayProtocolVersion")
    desktop.send("register", members if version is None else {**members, "relayProtocolVersion": version})
    desktop.take("registered")


@pytest.mark.parametrize("version", ["2.0", "0.9", "x", "99.6"])
def test_other_major_versions_are_refused_with_a_reason_and_1002(bench, version):
    desktop = bench.desktop(register=False)
    desktop.send("register", desktop.registration(relayProtocolVersion=version))
    assert desktop.take_error("unsupportedProtocolVersion")["message"]
    assert desktop.wait_closed() == 1002


@pytest.mark.parametrize("payload, codes", [
    (None, ("invalidPayload", "missingPayload")), ([], ("invalidPayload",)),
    pytest.param({"deviceName": "x"}, ("missingDeviceId", "invalidDeviceId"), marks=gap("the code is invalidPayload")),
    ({"deviceId": "no-uuid", "deviceName": "x"}, ("invalidDeviceId", "deviceOwnershipFailed")),
])
def test_a_malformed_register_is_named(bench, payload, codes):
    desktop = bench.desktop(register=False)
    desktop.send_text(json.dumps({"type": "register"} if payload is None else {"type": "register", "payload": payload}))
    desktop.take_error(*codes)


# RS4, RS5: sessions and resume

def test_RS4_a_session_has_32_and_its_token_48_letters_and_digits_and_lives_24_h(bench):
    answers = [bench.desktop(register=False).register() for _ in range(4)]
    for answer in answers:
        assert link.SESSION_ID.match(answer["sessionId"]) and link.RESUME_TOKEN.match(answer["resumeToken"])
        ends = datetime.datetime.fromisoformat(answer["expiresAt"].replace("Z", "+00:00"))
        hours = (ends - datetime.datetime.now(datetime.timezone.utc)).total_seconds() / 3600
        assert 23.9 < hours < 24.1
    assert len({a["resumeToken"] for a in answers} | {a["sessionId"] for a in answers}) == 8


@pytest.mark.parametrize("role", ["desktop", "phone"])
def test_RS4_a_session_is_resumed_after_a_drop(bench, role):
    desktop = bench.desktop()
    first = desktop if role == "desktop" else bench.phone(desktop)
    first.kill()
    again = bench.desktop(first.device, register=False) if role == "desktop" else bench.phone(desktop, first.device, register=False)
    answer = again.register(first.session, first.resume)
    assert answer["type"] == "resumed" and answer["sessionId"] == first.session and answer["expiresAt"]
    again.round_trip()


def test_RS5_a_bad_resume_leaves_the_socket_usable(bench):
    desktop = bench.desktop()
    phone = bench.phone(desktop, register=False)
    phone.send("register", phone.registration(sessionId="Z" * 32, resumeToken="q" * 48))
    assert phone.take_error("invalidResume")["message"]
    time.sleep(0.2)
    assert phone.register()["type"] == "registered"
    phone.round_trip()


@pytest.mark.parametrize("wrong", ["token", "session", "device", "half"])
def test_RS5_every_part_of_a_resume_must_fit(bench, wrong):
    desktop = bench.desktop()
    first = bench.phone(desktop)
    first.kill()
    again = bench.phone(desktop, None if wrong == "device" else first.device, register=False)
    session, token = first.session, first.resume
    if wrong == "token":
        token = token[:-1] + ("a" if token[-1] != "a" else "b")
    if wrong == "session":
        session = "A" * 32
    if wrong == "half":
        # Both or none: a session without its token is a fresh registration.
        assert again.register(session)["type"] == "registered"
        return
    again.send("register", again.registration(sessionId=session, resumeToken=token))
    again.take_error("invalidResume")
    assert again.register()["type"] == "registered"


def test_a_session_is_bound_to_its_target(bench):
    one, two = bench.desktop(), bench.desktop()
    first = bench.phone(one)
    first.kill()
    again = bench.phone(two, first.device, register=False)
    again.send("register", again.registration(sessionId=first.session, resumeToken=first.resume))
    again.take_error("invalidResume")


def test_a_rotated_token_outdates_the_previous_one_with_the_next_frame(bench):
    desktop = bench.desktop()
    first = bench.phone(desktop)
    first.kill()
    second = bench.phone(desktop, first.device, register=False)
    rotated = second.register(first.session, first.resume).get("resumeToken")
    if rotated is None:
        pytest.skip("this relay does not rotate tokens")
    assert rotated != first.resume and link.RESUME_TOKEN.match(rotated)
    second.round_trip()
    second.kill()
    third = bench.phone(desktop, first.device, register=False)
    third.send("register", third.registration(sessionId=first.session, resumeToken=first.resume))
    third.take_error("invalidResume")
    assert third.register(first.session, rotated)["type"] == "resumed"


def test_a_token_whose_answer_was_lost_still_resumes(bench):
    desktop = bench.desktop()
    first = bench.phone(desktop)
    first.kill()
    lost = bench.phone(desktop, first.device, register=False)
    lost.send("register", lost.registration(sessionId=first.session, resumeToken=first.resume))
    lost.take("resumed")
    lost.kill()
    again = bench.phone(desktop, first.device, register=False)
    assert again.register(first.session, first.resume)["type"] == "resumed"


# RS6, RS8 and malformed frames

def test_RS6_heartbeat_and_ping_are_answered_by_pong(bench):
    desktop = bench.desktop()
    desktop.settle()
    desktop.send("heartbeat", {"status": "online", "cpuUsage": 3.5, "activeJobs": 1})
    assert desktop.take("pong").get("payload") is None
    desktop.send("ping")
    desktop.take("pong")


@pytest.mark.parametrize("text, codes", [
    ("{", ("invalidJson",)), ("", ("invalidJson",)), ("[1]", ("invalidJson", "invalidPayload", "unknownMessageType")),
    ('{"type":"nonsense","payload":{}}', ("unknownMessageType",)), ('{"payload":{}}', ("unknownMessageType", "invalidPayload", "invalidJson")),
    ('{"type":7,"payload":{}}', ("unknownMessageType", "invalidPayload", "invalidJson")),
    ('{"type":"event"}', ("invalidPayload", "missingPayload")), ('{"type":"event","payload":"x"}', ("invalidPayload", "missingPayload")),
    ('{"type":"event","payload":{"payload":{}}}', ("invalidPayload", "missingPayload")),
    ('{"type":"rpc.request","payload":{"id":"r","params":{}}}', ("missingMethod", "invalidRpcPayload")),
    pytest.param('{"type":"rpc.request","payload":{"id":"r","method":" ","params":{}}}', ("missingMethod", "invalidRpcPayload"),
                 marks=gap("a blank method is forwarded to the desktop")),
    ('{"type":"rpc.request","payload":{"id":"r","method":"system.ping","params":[]}}', ("invalidParams", "invalidRpcPayload")),
    ('{"type":"rpc.request","payload":[]}', ("invalidRpcPayload", "invalidPayload")),
], ids=lambda value: value[:40] if isinstance(value, str) else None)
def test_a_malformed_frame_is_named_and_the_socket_stays(bench, text, codes):
    desktop = bench.desktop()
    phone = bench.phone(desktop)
    phone.send_text(text)
    phone.take_error(*codes)
    phone.round_trip()
    desktop.round_trip()
    assert not [m for m in desktop.settle() if m["type"] == "rpc.request" and m["payload"]["clientId"] == phone.device]


UNDERSCORES = [
    {"method": "chat.list", "params": {"project_directory": "/x"}}, {"method": "chat.list", "params": {}, "extra_key": 1},
    {"method": "chat.list", "params": {"a": {"b": {"c": {"d": {"_": 0}}}}}},
    {"method": "chat.list", "params": {"list": [1, [{"x": [{"deep_key": None}]}]]}},
    {"method": "chat.list", "params": {"escaped\\u005fkey": 1}},
]


@pytest.mark.parametrize("members", UNDERSCORES, ids=range(len(UNDERSCORES)))
def test_RS8_a_key_with_an_underscore_anywhere_is_refused_and_goes_nowhere(bench, members):
    desktop = bench.desktop()
    phone = bench.phone(desktop)
    text = link.frame("rpc.request", {"id": "r-under", "traceparent": link.traceparent(), **members}).replace("\\\\u", "\\u")
    assert "\\u005f" in text or link.underscore_key(json.loads(text))
    phone.send_text(text)
    phone.take_error("invalidPayload")
    phone.round_trip()
    assert not [m for m in desktop.settle() if m["type"] == "rpc.request" and m["payload"]["id"] == "r-under"]


def test_RS8_a_value_with_an_underscore_passes_both_ways(bench):
    desktop = bench.desktop()
    phone = bench.phone(desktop)
    id = phone.ask("chat.list", {"projectDirectory": "/a_b", "list": ["x_y", '{"file_path":1}', 'he said "a_b": "c_d"']})
    request = desktop.request_of(phone.device)
    assert request["params"]["list"] == ["x_y", '{"file_path":1}', 'he said "a_b": "c_d"']
    desktop.respond(request, {"chats": [], "note": "snake_case \\\" value_"})
    assert phone.answer(id)["result"]["note"] == "snake_case \\\" value_"


def test_RS8_the_desktop_is_held_to_the_same_rule(bench):
    desktop = bench.desktop()
    phone = bench.phone(desktop)
    desktop.event("session-updated", {"sessionId": "s", "session": {"created_at": 1}})
    desktop.take_error("invalidPayload")
    desktop.event("session-updated", {"sessionId": "s", "session": {"createdAt": 1}})
    assert phone.take_event("session-updated")["payload"]["payload"]["session"] == {"createdAt": 1}


# Frames below JSON

def raw(peer, data):
    peer.socket.socket.sendall(data)


@pytest.mark.parametrize("frame, codes", [
    (b"\x81\x02{}", (1002,)), (b"\xc1\x80\x00\x00\x00\x00", (1002,)), (b"\x83\x80\x00\x00\x00\x00", (1002,)),
    (b"\x81\x82\x00\x00\x00\x00\xc3\x28", (1007,)), (b"\x80\x80\x00\x00\x00\x00", (1002,)), (b"\x09\x80\x00\x00\x00\x00", (1002,)),
    (b"\x81\xff\x00\x00\x00\x00\x7f\xff\xff\xff\x00\x00\x00\x00", (1009,)), (b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00", (1002, 1009)),
], ids=["unmasked", "reserved bit", "reserved opcode", "no UTF-8", "lone continuation", "fragmented ping", "2 GiB", "negative length"])
def test_garbage_on_the_wire_closes_with_the_right_code(bench, frame, codes):
    desktop = bench.desktop()
    raw(desktop, frame)
    assert desktop.wait_closed() in codes
    assert bench.desktop().session


def test_R21_a_message_of_32_mib_passes_and_one_byte_more_closes_with_1009(bench):
    desktop = bench.desktop()
    shell = link.frame("heartbeat", {"status": ""})
    desktop.send_text(link.frame("heartbeat", {"status": "x" * (link.MAX_MESSAGE - len(shell))}))
    desktop.take("pong", seconds=20)
    # Only the head of the next one: it says how long the message is.
    raw(desktop, b"\x81\xff" + (link.MAX_MESSAGE + 1).to_bytes(8, "big") + b"\0\0\0\0" + b'{"type":')
    assert desktop.wait_closed(20) == 1009


def test_fragments_are_put_together_up_to_the_limit(bench):
    desktop = bench.desktop()
    phone = bench.phone(desktop)
    text = link.event("session-updated", {"sessionId": "s", "text": "ü" * 100})
    desktop.socket.send([text[:10], text[10:11], "", text[11:150], text[150:]])
    assert phone.take_event("session-updated")["payload"]["payload"]["text"] == "ü" * 100


def test_half_a_frame_and_a_vanished_peer_leave_nothing_behind(bench):
    watcher = bench.phone(bench.desktop())
    for _ in range(20):
        desktop = bench.desktop(register=False)
        raw(desktop, b"\x81\xfe\x40\x00\x00\x00\x00\x00{\"type\":")
        desktop.kill()
    watcher.round_trip()


def test_a_deeply_nested_frame_is_refused(bench):
    desktop = bench.desktop()
    desktop.send_text('{"type":"event","payload":{"eventType":"x","payload":' + "[" * 100_000 + "]" * 100_000 + "}}")
    desktop.take_error()
    desktop.round_trip()


# RS9: one socket per key

def test_RS9_a_newer_socket_of_the_same_desktop_replaces_the_older_with_4002(bench):
    old = bench.desktop()
    phone = bench.phone(old)
    phone.settle()
    new = bench.desktop(old.device)
    assert old.wait_closed() == 4002
    assert phone.take_event("device-status")["payload"]["payload"] == {"deviceId": old.device, "status": "online"}
    statuses = [m for m in phone.settle(0.5) if m["type"] == "event" and m["payload"]["eventType"] == "device-status"]
    assert not [m for m in statuses if m["payload"]["payload"]["status"] != "online"], "the old socket's end was announced"
    id = phone.ask("chat.list")
    new.respond(new.request_of(phone.device), {"chats": []})
    assert phone.answer(id)["result"] == {"chats": []}


def test_RS9_sockets_of_one_phone_to_two_desktops_live_side_by_side(bench):
    one, two = bench.desktop(), bench.desktop()
    phone = link.new_id()
    to_one, to_two = bench.phone(one, phone), bench.phone(two, phone)
    newer = bench.phone(one, phone)
    assert to_one.wait_closed() == 4002
    to_two.round_trip()
    newer.round_trip()
    id = to_two.ask("chat.list")
    two.respond(two.request_of(phone), {"chats": []})
    assert to_two.answer(id)["error"] is None


def test_RS9_a_desktop_never_closes_another(bench):
    desktops = [bench.desktop() for _ in range(5)]
    for desktop in desktops:
        desktop.round_trip()


# RS16: revocation

def test_RS16_revoking_a_desktop_closes_it_with_4001_or_4003_and_ends_its_sessions(bench):
    desktop = bench.desktop(name="doomed")
    desktop.round_trip()
    owner = bench.server.pair("owner")
    page = owner.text("/settings")
    import re
    ids = re.findall(r'action="[^"]*/settings/desktops/([0-9a-f]+)/revoke"', page)
    assert ids, "the settings page offers no revoking"
    for id in ids:
        status, _, _ = owner.open(f"/settings/desktops/{id}/revoke", data=b"")
        assert status == 200
    assert desktop.wait_closed() in (4001, 4003)
    assert refused(bench.base, link.credentials(desktop.device, desktop.token, "desktop")) == 401


def test_the_port_of_the_relay_refuses_a_request_that_never_ends(server):
    with socket.create_connection(("127.0.0.1", server.port)) as raw_socket:
        raw_socket.settimeout(20)
        raw_socket.sendall(b"GET /ws/device-link HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"y" * (64 << 10))
        answer = raw_socket.recv(200)
        assert b" 431 " in answer or b" 400 " in answer
