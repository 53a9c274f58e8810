"""Fixtures of the peers' tests: tokens for both roles at a running server."""
import hashlib
import secrets
import sqlite3
import time
from pathlib import Path

import pytest

from device_link import new_id
from peer import Desktop, Phone
from wheelhouse import run


def gap(reason):
    """What the document asks and the product does not do yet. Once it does, the test says so: then remove the mark."""
    return pytest.mark.xfail(strict=True, reason=reason)


def database(server):
    """The server's database file."""
    return Path(server.data) / "wheelhouse.sqlite"


def desktop_token(server, name="peer"):
    made = run("desktop-token", "--data", server.data, "--name", name)
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


def api_token(server):
    """A program's token of the owner. There is no command for one, so it is written where the server keeps them."""
    server.pair("owner")
    token = "wha_" + secrets.token_urlsafe(32)
    with sqlite3.connect(database(server), timeout=10) as store:
        owner = store.execute("SELECT id FROM people WHERE role = 'owner'").fetchone()[0]
        now = int(time.time() * 1000)
        store.execute("INSERT INTO credentials (id, person, kind, hash, label, created_at, last_seen) VALUES (?,?,?,?,?,?,?)",
                      (secrets.token_hex(8), owner, "api", hashlib.sha256(token.encode()).digest(), "peer", now, now))
    store.close()
    return token


class Bench:
    """A server, and peers at its relay that are gone when the test ends."""

    def __init__(self, server):
        self.server, self.base = server, server.base
        self.api = api_token(server)
        self.peers = []
        self.tokens = {}

    def desktop(self, device=None, register=True, **more):
        device = device or new_id()
        if device not in self.tokens:
            self.tokens[device] = desktop_token(self.server)
        peer = Desktop(self.base, self.tokens[device], device=device, **more)
        self.peers.append(peer)
        if register:
            peer.register()
        return peer

    def phone(self, target, device=None, register=True, **more):
        peer = Phone(self.base, self.api, device=device, target=getattr(target, "device", target), **more)
        self.peers.append(peer)
        if register:
            peer.register()
        return peer


@pytest.fixture
def bench(server):
    made = Bench(server)
    yield made
    for peer in made.peers:
        peer.kill()
