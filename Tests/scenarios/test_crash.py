"""kill -9 of server and agents at random moments while records are appended: afterwards every record is shown once."""
import json
import random
import threading
import time
import uuid

import pytest

from test_transcripts import all_blocks
from wheelhouse import Server, wait_for

KILLS = 50


def record(session, text, parent):
    own = str(uuid.uuid4())
    return own, json.dumps({"parentUuid": parent, "isSidechain": False, "type": "user", "cwd": "/home/dev/app",
                            "message": {"role": "user", "content": text}, "uuid": own, "sessionId": session,
                            "timestamp": "2026-11-20T08:00:00.000Z", "version": "2.1.332", "gitBranch": "main"}) + "\n"


@pytest.mark.timeout(600)
def test_fifty_kills_lose_and_double_nothing(tmp_path):
    rng = random.Random(11)
    session = str(uuid.uuid4())
    home = tmp_path / "home"
    transcript = home / ".claude/projects/-home-dev-app" / f"{session}.jsonl"
    transcript.parent.mkdir(parents=True)
    written, stop = [], threading.Event()

    def write():
        parent = None
        with open(transcript, "ab", buffering=0) as stream:
            while not stop.is_set():
                text = f"record {len(written)}"
                parent, line = record(session, text, parent)
                data = line.encode()
                cut = rng.randrange(1, len(data))
                stream.write(data[:cut])
                time.sleep(0.001)
                stream.write(data[cut:])
                written.append(text)
                time.sleep(0.004)

    server = Server(tmp_path / "data")
    server.start()
    desktop = server.add_desktop(home, "writer")
    browser = server.pair()
    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(KILLS):
            time.sleep(rng.uniform(0.05, 0.4))
            if rng.random() < 0.5:
                server.process.kill()
                server.start()
            else:
                desktop.kill()
                server.desktops.remove(desktop)
                desktop = server.add_desktop(home, "writer")
    finally:
        stop.set()
        writer.join()
    try:
        def shown():
            listed = [s for s in browser.json("/api/v1/sessions")["sessions"] if s["nativeId"] == session]
            for found in listed:
                if browser.open(f"/api/v1/sessions/{found['id']}/blocks?limit=1")[0] == 503:
                    continue  # the desktop is still on its way back, and the server says so
                texts = [b["text"] for b in all_blocks(browser, found["id"]) if b["kind"] == "user"]
                if texts == written:
                    return True
            return False

        wait_for(shown, 40, "every record once, in order")
    finally:
        server.__exit__()
