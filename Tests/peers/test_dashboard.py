"""A desktop that is not ours on our dashboard: its chats, its timelines, who watches what (R49, R67 to R74, W-1, RS12)."""
import time

import pytest

import device_link as link
from conftest import Bench
from live import Tab
from served import Chat, DesktopModel, ServedDesktop
from wheelhouse import wait_for


@pytest.fixture
def stage(bench):
    return Stage(bench)


class Stage:
    def __init__(self, bench: Bench):
        self.bench, self.server = bench, bench.server
        self.browser = self.server.pair()
        self.first = Chat("Fix the parser")
        self.second = Chat("Write the manual", agent="codex")
        for chat in (self.first, self.second):
            chat.ask(f"Please: {chat.title}")
            chat.say(f"Working on **{chat.title}**.")
        self.model = DesktopModel([self.first, self.second])
        self.desktop = self.connect()

    def connect(self, device=None, model=None):
        first = self.bench.desktop(device, register=False)
        first.kill()
        served = ServedDesktop(self.bench.base, first.token, model or self.model, device=first.device, name="python-box")
        self.bench.peers.append(served)
        return served

    def session(self, chat):
        def found():
            return next((s for s in self.browser.json("/api/v1/sessions")["sessions"] if s["title"] == chat.title), None)
        return wait_for(found, what=f"the chat {chat.title}")

    def interests(self, chat):
        return [active for _, session, active in list(self.model.interests) if session == chat.id]

    def presence(self):
        desktops = self.browser.json("/api/v1/desktops")["desktops"]
        return next((d["presence"] for d in desktops if d["id"] == self.desktop.device), None)


def test_chats_of_a_foreign_desktop_are_listed_and_read(stage):
    session = stage.session(stage.first)
    assert session["desktop"] == stage.desktop.device and session["agent"] == "claude" and session["project"] == "/home/ada/project"
    desktops = stage.browser.json("/api/v1/desktops")["desktops"]
    assert [(d["name"], d["kind"], d["presence"]) for d in desktops] == [("python-box", "deviceLink", "online")]
    blocks = stage.browser.json(f"/api/v1/sessions/{session['id']}/blocks")["blocks"]
    assert [(b["kind"], b["text"]) for b in blocks] == [("user", "Please: Fix the parser"), ("assistant", "Working on **Fix the parser**.")]
    page = stage.browser.text(session["url"])
    assert "<strong>Fix the parser</strong>" in page
    assert stage.session(stage.second)["agent"] == "codex"


def test_pages_of_a_long_timeline_are_read_backwards_without_a_gap(stage):
    for n in range(700):
        stage.first.say(f"entry {n}")
    session = stage.session(stage.first)
    seen, before = [], ""
    while True:
        page = stage.browser.json(f"/api/v1/sessions/{session['id']}/blocks?limit=200{before}")
        seen = [b["seq"] for b in page["blocks"]] + seen
        if not page["hasMore"]:
            break
        before = f"&before={seen[0]}"
    assert seen == list(range(1, 703))


def test_R67_R72_R74_a_lease_begins_with_the_first_claim_and_ends_with_the_last(stage):
    session = stage.session(stage.first)
    stage.browser.text(session["url"])
    assert stage.interests(stage.first) == [], "a page alone is no claim"
    with Tab(stage.browser) as one, Tab(stage.browser) as two:
        one.claim(session["id"], stage.desktop.device)
        wait_for(lambda: stage.interests(stage.first)[-1:] == [True], 5, "the lease")
        two.claim(session["id"], stage.desktop.device)
        two.until(lambda: two.views[f"{session['id']}:main"].blocks, 5, "the snapshot")
        one.release(f"{session['id']}:main")
        time.sleep(0.5)
        assert stage.interests(stage.first)[-1] is True, "R70: the second view keeps the lease"
    wait_for(lambda: stage.interests(stage.first)[-1] is False, 5, "the end of the lease")
    assert stage.interests(stage.second) == []


def test_R55_R71_a_hidden_tab_holds_no_lease_and_coming_back_needs_a_fresh_claim(stage):
    session = stage.session(stage.first)
    with Tab(stage.browser) as tab:
        tab.claim(session["id"], stage.desktop.device)
        wait_for(lambda: stage.interests(stage.first)[-1:] == [True], 5, "the lease")
        tab.hide()
        wait_for(lambda: stage.interests(stage.first)[-1] is False, 5, "the end of the lease")
        tab.show()
        time.sleep(0.5)
        assert stage.interests(stage.first)[-1] is False, "a new generation revives nothing"
        tab.claim(session["id"], stage.desktop.device)
        wait_for(lambda: stage.interests(stage.first)[-1] is True, 5, "the lease again")


def test_R69_W1_a_desktop_of_one_lease_serves_the_newest_claim(bench):
    stage = Stage.__new__(Stage)
    stage.bench, stage.server, stage.browser = bench, bench.server, bench.server.pair()
    stage.first, stage.second = Chat("Older view"), Chat("Newer view")
    for chat in (stage.first, stage.second):
        chat.say("text")
    stage.model = DesktopModel([stage.first, stage.second], capabilities=())
    stage.desktop = stage.connect()
    one, two = stage.session(stage.first), stage.session(stage.second)
    with Tab(stage.browser) as old, Tab(stage.browser) as new:
        old.claim(one["id"], stage.desktop.device)
        wait_for(lambda: stage.interests(stage.first)[-1:] == [True], 5, "the first lease")
        new.claim(two["id"], stage.desktop.device)
        wait_for(lambda: stage.interests(stage.second)[-1:] == [True], 5, "the second lease")
        # The desktop knows by itself that the newest lease ends the one before (RD10).
        asked = sum(r["method"] == "chat.getTimeline" and r["params"]["appSessionId"] == stage.first.id for r in stage.model.requests)
        wait_for(lambda: sum(r["method"] == "chat.getTimeline" and r["params"]["appSessionId"] == stage.first.id
                             for r in stage.model.requests) > asked, 8, "the older view's refresh")
        told = stage.interests(stage.first).count(True)
        new.release(f"{two['id']}:main")
        wait_for(lambda: stage.interests(stage.first).count(True) > told, 5, "the lease back at the older claim")


def test_a_desktop_of_several_leases_serves_both(stage):
    one, two = stage.session(stage.first), stage.session(stage.second)
    with Tab(stage.browser) as tab:
        tab.claim(one["id"], stage.desktop.device)
        tab.claim(two["id"], stage.desktop.device)
        wait_for(lambda: stage.model.holds(stage.first.id) and stage.model.holds(stage.second.id), 5, "both leases")
        for chat, session in ((stage.first, one), (stage.second, two)):
            id = stage.desktop.change(chat.id, lambda c: c.say(f"new in {c.title}"))
            tab.until(lambda: any(key.endswith(id.split("-")[-1]) and "new in" in text
                                  for key, text in tab.views[f"{session['id']}:main"].text.items()), 5, "the new block")


def test_R73_a_lease_is_renewed_every_20_s(stage):
    session = stage.session(stage.first)
    with Tab(stage.browser) as tab:
        tab.claim(session["id"], stage.desktop.device)
        wait_for(lambda: len(stage.interests(stage.first)) >= 2, 25, "the renewal")
    times = [at for at, s, active in stage.model.interests if s == stage.first.id and active]
    assert 18 < times[1] - times[0] < 22


def test_patches_leave_every_tab_with_the_same_blocks(stage):
    session = stage.session(stage.first)
    with Tab(stage.browser) as one, Tab(stage.browser) as two:
        views = [tab.claim(session["id"], stage.desktop.device) for tab in (one, two)]
        wait_for(lambda: stage.model.holds(stage.first.id), 5, "the lease")
        streaming = stage.desktop.change(stage.first.id, lambda c: c.say("", state="streaming"))
        for n in range(30):
            stage.desktop.change(stage.first.id, lambda c: c.put("assistant", id=streaming, state="streaming", markdown=f"word {n} " * (n + 1)))
            stage.desktop.change(stage.first.id, lambda c: c.ask(f"beside {n}"))
            time.sleep(0.03)
        stage.desktop.change(stage.first.id, lambda c: c.put("assistant", id=streaming, markdown="the end of it"))
        for tab, view in zip((one, two), views):
            tab.until(lambda: any("the end of it" in text for text in view.text.values()), 10, "the last state")
            tab.until(lambda: len(view.blocks) == len(stage.first.blocks), 5, "every block")
            assert view.faults == []
        assert views[0].blocks == views[1].blocks


def test_R49_R47_a_desktop_that_drops_is_temporarily_offline_and_back_at_once(stage):
    stage.session(stage.first)
    assert stage.presence() == "online"
    stage.desktop.kill()
    wait_for(lambda: stage.presence() != "online", 5, "the drop to be seen")
    stage.desktop = stage.connect(stage.desktop.device)
    wait_for(lambda: stage.presence() == "online", 5, "the desktop to be back")
    pings = [r for r in stage.model.requests if r["method"] == "system.ping"]
    assert pings, "R47: the return is confirmed with a ping"


def test_R74_after_a_drop_the_lease_is_issued_again_and_what_was_missed_arrives(stage):
    session = stage.session(stage.first)
    with Tab(stage.browser) as tab:
        view = tab.claim(session["id"], stage.desktop.device)
        wait_for(lambda: stage.model.holds(stage.first.id), 5, "the lease")
        tab.until(lambda: len(view.blocks) == 2, 5, "the first blocks")
        stage.desktop.kill()
        stage.model.forget_leases()
        stage.first.say("written while the line was down")
        stage.desktop = stage.connect(stage.desktop.device)
        wait_for(lambda: stage.model.holds(stage.first.id), 10, "the lease again")
        tab.until(lambda: any("while the line was down" in t for t in view.text.values()), 10, "what was missed")
        assert view.faults == []


def test_R41_R38_every_request_of_the_dashboard_is_well_formed(stage):
    session = stage.session(stage.first)
    with Tab(stage.browser) as tab:
        view = tab.claim(session["id"], stage.desktop.device)
        tab.until(lambda: view.blocks, 5, "the page")
    requests = list(stage.model.requests)
    assert {"chat.list", "chat.getTimeline"} <= {r["method"] for r in requests}
    assert len({r["id"] for r in requests}) == len(requests)
    for request in requests:
        assert link.TRACEPARENT.match(request["traceparent"]) and isinstance(request.get("params", {}), dict)
        assert link.underscore_key(request) is None and request["clientId"] and request["userId"]
    assert len({link.trace_id(r["traceparent"]) for r in requests}) == len(requests)


@pytest.mark.parametrize("trouble", ["wrong trace", "no trace", "malformed trace", "unknown id", "own id twice", "no payload"])
def test_R42_W2_a_bad_answer_is_dropped_and_the_right_one_behind_it_believed(stage, trouble):
    session = stage.session(stage.first)
    usual, nothing = stage.model.answer, {"blocks": [], "revision": 1, "hasMore": False}

    def answer(request):
        good = usual(request)
        if request["method"] == "chat.getTimeline":
            # Not the last answer, so that the relay goes on waiting for one.
            bad = {"wrong trace": link.response(request, nothing, final=False, trace=link.traceparent()),
                   "malformed trace": link.response(request, nothing, final=False, trace="00-none-of-it-01"),
                   "no trace": link.response(request, nothing, final=False).replace('"traceparent"', '"other"'),
                   "unknown id": link.response({**request, "id": "never-asked"}, nothing),
                   "own id twice": good, "no payload": '{"type":"rpc.response","payload":{}}'}[trouble]
            stage.desktop.socket.send(bad)
        return good
    stage.model.answer = answer
    blocks = stage.browser.json(f"/api/v1/sessions/{session['id']}/blocks")["blocks"]
    assert [b["seq"] for b in blocks] == [1, 2]
    assert stage.presence() == "online"


@pytest.mark.parametrize("result, error", [
    (None, {"code": -32603, "message": "broken"}), ([1, 2], None), (None, None), ({"blocks": 7}, None),
    ({"blocks": [7, {"id": 1}, {"id": "x", "seq": "y", "kind": []}], "revision": "z", "hasMore": 1}, None),
], ids=["error", "no object", "nothing", "no list", "no blocks"])
def test_a_desktop_that_answers_nonsense_costs_only_its_own_answer(stage, result, error):
    session = stage.session(stage.first)
    usual = stage.model.answer
    stage.model.answer = lambda request: (link.response(request, result, error) if request["method"] == "chat.getTimeline"
                                          else usual(request))
    status, _, body = stage.browser.open(f"/api/v1/sessions/{session['id']}/blocks")
    assert status in (200, 502, 503), body[:300]
    stage.model.answer = usual
    wait_for(lambda: b"Working on" in stage.browser.open(f"/api/v1/sessions/{session['id']}/blocks")[2], 10, "a good answer")


def test_a_desktop_that_never_answers_times_out_and_others_are_not_held_up(stage):
    quiet_model = DesktopModel([Chat("Silent one")])
    usual = quiet_model.answer
    quiet_model.answer = lambda request: usual(request) if request["method"] in ("chat.list", "system.ping", "system.getInfo") else link.event("none", {})
    quiet = stage.connect(model=quiet_model)
    silent = wait_for(lambda: next((s for s in stage.browser.json("/api/v1/sessions")["sessions"] if s["desktop"] == quiet.device), None))
    import threading
    slow = threading.Thread(target=lambda: stage.browser.open(f"/api/v1/sessions/{silent['id']}/blocks"), daemon=True)
    slow.start()
    other = stage.server.pair()
    session = stage.session(stage.first)
    started = time.monotonic()
    assert other.open(f"/api/v1/sessions/{session['id']}/blocks")[0] == 200
    assert time.monotonic() - started < 3


def test_titles_and_names_of_a_desktop_are_text(stage):
    evil = Chat('<script>alert(1)</script>"\'&')
    evil.ask("<img src=x onerror=alert(1)>")
    evil.say("<script>alert(2)</script> [x](javascript:alert(3))")
    with stage.desktop.lock:
        stage.model.add(evil)
    for text in stage.model.changed(evil.id):
        stage.desktop.socket.send(text)
    session = stage.session(evil)
    page = stage.browser.text(session["url"]) + stage.browser.text("/")
    assert "<script>alert" not in page and "<img src=x" not in page and 'href="javascript' not in page
