"""What must not hurt: huge files and lines, sessions deleted while open, desktops that vanish, clocks that are wrong."""
import collections
import time

from claude import Transcript
from test_transcripts import all_blocks, page_kinds
from wheelhouse import Browser, run, wait_for


def resident(process):
    """Resident memory of a child in MiB."""
    with open(f"/proc/{process.child.pid}/status") as status:
        for line in status:
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    return 0


def session_of(browser, transcript, seconds=20):
    def found():
        return next((s for s in browser.json("/api/v1/sessions")["sessions"] if s["nativeId"] == transcript.session), None)
    return wait_for(found, seconds, "the session in the list")


def test_a_transcript_of_200_mib_opens_at_its_end_with_bounded_memory(server, tmp_path):
    big = Transcript(tmp_path / "desk")
    filler = "x" * 100_000
    with open(big.path, "wb") as stream:
        for n in range(2000):
            stream.write(big.user(f"prompt {n}"))
            stream.write(big.assistant(filler))
        stream.write(big.user("the very last prompt"))
    assert big.path.stat().st_size > 190 << 20
    desktop = server.add_desktop(tmp_path / "desk", "big")
    browser = server.pair()
    session = session_of(browser, big)
    page = browser.text(session["url"])
    assert "the very last prompt" in page
    assert len(page) < 3 << 20
    assert resident(desktop) < 150, "the desktop's memory"
    assert resident(server.process) < 200, "the server's memory"


def test_a_line_of_20_mib_costs_no_more_than_itself(server, tmp_path):
    odd = Transcript(tmp_path / "desk")
    odd.append(odd.user("before"), odd.assistant("y" * (20 << 20)), odd.user("after"), b"{" + b"z" * (20 << 20) + b"\n", odd.user("the end"))
    desktop = server.add_desktop(tmp_path / "desk", "long-line")
    browser = server.pair()
    session = session_of(browser, odd)
    blocks = all_blocks(browser, session["id"])
    kinds = collections.Counter(b["kind"] for b in blocks)
    assert kinds["user"] == 3 and kinds["assistant"] == 1 and kinds["badLine"] == 1
    assert len(browser.text(session["url"])) < 3 << 20
    assert resident(desktop) < 200


def test_a_session_deleted_while_open_is_said_to_be_gone(server, tmp_path):
    gone, kept = Transcript(tmp_path / "desk"), Transcript(tmp_path / "desk")
    gone.append(gone.user("soon gone"))
    kept.append(kept.user("stays"))
    server.add_desktop(tmp_path / "desk", "desk")
    browser = server.pair()
    session = session_of(browser, gone)
    browser.text(session["url"])
    gone.path.unlink()
    wait_for(lambda: all(s["nativeId"] != gone.session for s in browser.json("/api/v1/sessions")["sessions"]), what="the session to leave the list")
    status, _, body = browser.open(session["url"])
    assert status in (404, 410)
    assert b"<html" in body, "a page, not a bare status"
    session_of(browser, kept)


def test_a_desktop_that_vanishes_leaves_its_sessions_readable_and_says_so(server, tmp_path):
    talk = Transcript(tmp_path / "desk")
    talk.append(talk.user("hello"), talk.assistant("an answer"))
    desktop = server.add_desktop(tmp_path / "desk", "flaky")
    browser = server.pair()
    session = session_of(browser, talk)
    assert page_kinds(browser, session["url"])["assistant"] == 1
    with open(talk.path, "ab", buffering=0) as stream:
        stream.write(talk.assistant("half of a mess")[:120])
    desktop.kill()
    wait_for(lambda: browser.json("/api/v1/desktops")["desktops"][0]["presence"] != "online", what="the desktop to be offline")
    page = browser.text(session["url"])
    assert "an answer" in page
    assert "offline" in page.lower()


def test_an_unknown_session_or_desktop_is_a_page_that_says_so(server):
    browser = server.pair()
    for path in ("/s/00000000000000000000000000000000", "/d/00000000-0000-4000-8000-000000000000", "/nowhere"):
        status, _, body = browser.open(path)
        assert status == 404
        assert b"<html" in body
    assert browser.open("/s/../../etc/passwd")[0] in (400, 404)
    assert browser.open("/api/v1/sessions/00000000000000000000000000000000/blocks")[0] == 404


def test_a_share_shows_one_session_and_nothing_else(server, tmp_path):
    shown, hidden = Transcript(tmp_path / "desk"), Transcript(tmp_path / "desk")
    shown.append(shown.user("the shared one"), shown.assistant("shown to all"))
    hidden.append(hidden.user("a private one"))
    server.add_desktop(tmp_path / "desk", "desk")
    owner = server.pair()
    session, other = session_of(owner, shown), session_of(owner, hidden)
    made = run("share", "--data", server.data, "--session", session["id"])
    assert made.returncode == 0, made.stderr
    link = server.base + "/share/" + made.stdout.strip().rsplit("/share/", 1)[1]
    guest = Browser(server.base)
    page = guest.text(link)
    assert "shown to all" in page and "private" not in page
    assert "<form" not in page.split('id="timeline"')[-1], "nothing to act with"
    for path in ("/", session["url"], other["url"], "/api/v1/sessions", f"/api/v1/sessions/{session['id']}/blocks", "/settings"):
        assert guest.open(path)[0] in (401, 403, 404), path
    assert guest.open(link + "x")[0] in (404, 410)


def test_a_desktop_whose_clock_is_wrong_is_no_problem(server, tmp_path):
    early = Transcript(tmp_path / "desk")
    early.append(early.user("from the past").replace(b"2026-11-20", b"1971-01-01"), early.user("from the future").replace(b"2026-11-20", b"2099-01-01"),
                 early.user("from now"))
    server.add_desktop(tmp_path / "desk", "skewed")
    browser = server.pair()
    session = session_of(browser, early)
    texts = [b["text"] for b in all_blocks(browser, session["id"]) if b["kind"] == "user"]
    assert texts == ["from the past", "from the future", "from now"], "the file's order"
