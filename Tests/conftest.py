"""Fixtures shared by the scenario and browser tests: a real server and real agents on loopback, each in folders of its own."""
import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))

from wheelhouse import Server  # noqa: E402


@pytest.fixture
def server(tmp_path):
    """A running `wheelhouse serve` without a desktop of its own."""
    with Server(tmp_path / "data", home=tmp_path / "home") as running:
        yield running
