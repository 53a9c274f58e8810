"""The peers among themselves, without the product: what the other tests rest on."""
import pytest

import device_link as link
from live import View
from relay import Relay
from served import Chat, DesktopModel, ServedDesktop


@pytest.mark.parametrize("value, found", [
    ({}, None), ({"a": "b_c"}, None), ({"a_b": 1}, "a_b"), ([{"a": [{"_": 1}]}], "_"), ({"a": {"b": {"c_": None}}}, "c_"),
])
def test_keys_with_an_underscore_are_found_at_any_depth(value, found):
    assert link.underscore_key(value) == found


@pytest.mark.parametrize("text, good", [
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", True), ("00-" + "0" * 32 + "-00f067aa0ba902b7-01", False),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-" + "0" * 16 + "-01", False), ("4bf92f3577b34da6a3ce929d0e0e4736", False),
    ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", False), ("", False),
])
def test_trace_contexts_are_checked(text, good):
    assert (link.trace_id(text) is not None) == good


def test_the_desktop_and_the_relay_understand_each_other():
    chat = Chat("A chat")
    chat.say("hello")
    with Relay() as relay:
        with ServedDesktop(relay.base, "token", DesktopModel([chat])) as desktop:
            client = relay.next_client(5)
            assert client.registered.wait(5) and client.headers["X-Device-ID"] == desktop.device
            trace = link.traceparent()
            answer = client.call("chat.list", traceparent=trace)
            assert answer["result"]["chats"][0]["appSessionId"] == chat.id
            assert link.trace_id(answer["traceparent"]) == link.trace_id(trace)
            client.interest(chat.id)
            assert client.take_event("chat:timeline-updated")["blocks"][0]["markdown"] == "hello"
            client.interest(chat.id, active=False)
            client.call("system.ping")
            assert not desktop.model.holds(chat.id)
        assert relay.faults == []


def test_a_session_of_the_relay_is_resumed_once_per_token():
    with Relay() as relay:
        desktop = ServedDesktop(relay.base, "token", DesktopModel())
        session, token = desktop.session, desktop.resume
        desktop.kill()
        second = ServedDesktop.__bases__[0](relay.base, "token", device=desktop.device)
        assert second.register(session, token)["type"] == "resumed" and second.resume != token
        second.send("register", second.registration(sessionId=session, resumeToken=token))
        assert second.take_error("invalidResume")
        second.kill()


def test_a_view_follows_patches_and_notices_a_wrong_order():
    view = View()
    article = '<article class="block" id="b-{0}" data-kind="assistant" data-seq="{0}" data-rev="{1}">x</article>'
    view.apply({"reset": True, "epoch": "E", "seq": 1, "html": article.format(1, 1) + article.format(2, 1)})
    view.apply({"epoch": "E", "seq": 2, "ops": [{"op": "append", "to": "timeline", "html": article.format(3, 1)},
                                               {"op": "replace", "id": "b-2", "html": article.format(2, 5)}, {"op": "remove", "id": "b-1"}]})
    assert view.blocks == {"b-2": 5, "b-3": 1} and view.faults == []
    view.apply({"epoch": "E", "seq": 2, "ops": []})
    view.apply({"epoch": "F", "seq": 3, "ops": []})
    assert len(view.faults) == 2
