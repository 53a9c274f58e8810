"""Starts the built program as people do and talks to it over HTTP. Standard library only."""
import http.cookiejar
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def binary():
    """The program under test: WHEELHOUSE_BIN, else the newest build."""
    given = os.environ.get("WHEELHOUSE_BIN")
    if given:
        return given
    built = [p for p in (ROOT / ".build/release/wheelhouse", ROOT / ".build/debug/wheelhouse") if p.exists()]
    if not built:
        raise RuntimeError("build first: swift build -c release, or set WHEELHOUSE_BIN")
    return str(max(built, key=lambda p: p.stat().st_mtime))


def shared():
    """The folder with the independent suites and fixtures, or None where it does not lie beside the repository."""
    for folder in (os.environ.get("WHEELHOUSE_SHARED"), ROOT.parent / "shared"):
        if folder and Path(folder).is_dir():
            return Path(folder)
    return None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(condition, seconds=15, what="the condition"):
    """Polls until `condition()` is true and answers its value; fails with a sentence after the deadline."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s in vain for {what}")
        time.sleep(0.02)


def run(*arguments, timeout=30, **more):
    """Runs one command of the program to its end."""
    return subprocess.run([binary(), *map(str, arguments)], capture_output=True, text=True, timeout=timeout, **more)


class Process:
    """A child whose standard error is kept in a file and which is gone when the block ends."""

    def __init__(self, arguments, log):
        self.log = Path(log)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.stream = open(self.log, "ab")
        self.child = subprocess.Popen([binary(), *map(str, arguments)], stdout=self.stream, stderr=self.stream,
                                      stdin=subprocess.DEVNULL)

    def text(self):
        return self.log.read_text(errors="replace")

    def kill(self):
        """As the kernel would: no chance to tidy up."""
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGKILL)
        self.child.wait(10)
        self.stream.close()

    def stop(self, seconds=15):
        """SIGTERM; answers the exit code."""
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
        code = self.child.wait(seconds)
        self.stream.close()
        return code


class Browser:
    """A cookie jar with a base URL: what a person's browser does without scripts."""

    def __init__(self, base):
        self.base = base
        self.jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def open(self, path, data=None, headers=None, method=None):
        """(status, headers, body bytes) of one request; redirects are followed, errors are answers too."""
        url = path if path.startswith("http") else self.base + path
        request = urllib.request.Request(url, data=data, headers=headers or {}, method=method)
        if (data is not None or method not in (None, "GET", "HEAD")) and not request.has_header("Origin"):
            request.add_header("Origin", self.base)
        try:
            with self.opener.open(request, timeout=20) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def text(self, path):
        status, _, body = self.open(path)
        assert status == 200, f"{path}: {status} {body[:300]!r}"
        return body.decode()

    def json(self, path):
        return json.loads(self.text(path))


class Server:
    """`wheelhouse serve` on a free port of loopback."""

    def __init__(self, data, home=None, arguments=(), port=None, local_desktop=False):
        self.data, self.home = Path(data), Path(home) if home else None
        self.port = port or free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.arguments = ["serve", "--listen", f"127.0.0.1:{self.port}", "--data", self.data]
        if not local_desktop:
            self.arguments.append("--no-local-desktop")
        if self.home:
            self.home.mkdir(parents=True, exist_ok=True)
            self.arguments += ["--home", self.home]
        self.arguments += list(arguments)
        self.process = None
        self.desktops = []

    def start(self):
        self.process = Process(self.arguments, self.data.parent / f"serve-{self.port}.log")
        wait_for(self.is_ready, what="/readyz")
        return self

    def is_ready(self):
        if self.process.child.poll() is not None:
            raise AssertionError(f"serve ended with {self.process.child.returncode}: {self.process.text()[-2000:]}")
        try:
            with urllib.request.urlopen(self.base + "/readyz", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        for desktop in self.desktops:
            desktop.kill()
        self.process.kill()

    def pair(self, role=None):
        """A browser that went through a fresh pairing link."""
        made = run("pair", "--data", self.data, *(["--role", role] if role else []))
        assert made.returncode == 0, made.stderr
        browser = Browser(self.base)
        status, _, body = browser.open(re.sub(r"^https?://[^/]+", self.base, made.stdout.strip()))
        assert status == 200, body[:300]
        return browser

    def add_desktop(self, home, name):
        """A `wheelhouse desktop` with a token of its own; its process."""
        made = run("desktop-token", "--data", self.data, "--name", name)
        assert made.returncode == 0, made.stderr
        process = Process(["desktop", "--server", self.base, "--token", made.stdout.strip(), "--name", name, "--home", home],
                          self.data.parent / f"desktop-{name}.log")
        self.desktops.append(process)
        return process


def fixtures(folder):
    """Makes the self-made transcripts as a home folder (`.claude`, `.codex`); (home, expected) or None without the generator."""
    if shared() is None:
        return None
    out, home = Path(folder) / "made", Path(folder) / "fixture-home"
    script = shared() / "fixtures/make-transcripts.py"
    subprocess.run(["python3", str(script), str(out)], check=True, capture_output=True)
    home.mkdir(parents=True)
    shutil.move(str(out / "claude"), str(home / ".claude"))
    shutil.move(str(out / "codex"), str(home / ".codex"))
    return home, json.loads((out / "expected.json").read_text())
