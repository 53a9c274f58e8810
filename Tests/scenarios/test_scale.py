"""2,000 transcripts, 2 GiB: ready at once, small in memory, listed within seconds."""
import os
import shutil
import time
import urllib.request

import pytest

from claude import Transcript
from test_hostile import resident
from wheelhouse import Process, free_port, wait_for, Server


@pytest.mark.timeout(600)
def test_serve_is_ready_in_half_a_second_with_2000_transcripts_of_1_mib(tmp_path):
    if shutil.disk_usage(tmp_path).free < 4 << 30:
        pytest.skip("needs 4 GiB of free disk")
    home = tmp_path / "home"
    body = None
    for n in range(2000):
        transcript = Transcript(home, project=f"/home/dev/project-{n % 40}")
        first = transcript.user(f"session {n}")
        if body is None:
            body = b"".join(transcript.assistant(f"answer {i} " + "words and more words " * 40) for i in range(900))
        with open(transcript.path, "wb") as stream:
            stream.write(first)
            stream.write(body)
    try:
        server = Server(tmp_path / "data", home=home, local_desktop=True)
        start = time.monotonic()
        server.process = Process(server.arguments, tmp_path / "serve.log")
        try:
            while True:
                try:
                    with urllib.request.urlopen(server.base + "/readyz", timeout=1) as answer:
                        if answer.status == 200:
                            break
                except OSError:
                    assert time.monotonic() - start < 5, server.process.text()
                    time.sleep(0.005)
            ready = time.monotonic() - start
            browser = server.pair()
            wait_for(lambda: len(browser.json("/api/v1/sessions")["sessions"]) == 2000, 60, "2,000 sessions in the list")
            listed = time.monotonic() - start
            memory = resident(server.process)
            print(f"\nready after {ready:.3f} s, all listed after {listed:.1f} s, {memory:.0f} MiB resident")
            assert ready < 0.5
            assert memory < 120
        finally:
            server.process.kill()
    finally:
        shutil.rmtree(home)
