# SPDX-License-Identifier: Apache-2.0
import signal

import numpy as np
import pytest

import libbench


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store.sqlite"


@pytest.fixture(autouse=True)
def context(store):
    """Each test has a context and a store of its own; the user's are not touched."""
    return libbench.configure(store=store, environment=False, plugin_paths=[libbench.plugin_path()])


@pytest.fixture(autouse=True)
def interruptible():
    """Whoever starts tests in the background may have switched SIGINT off for them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Counted:
    """A kernel that notes what it was launched with. Configuration `slow` does more work than `fast`, by
    far: no test depends on which of two similar ones is faster."""

    def __init__(self):
        self.launched = []

    def __call__(self, x, n, way):
        self.launched.append(way)
        for _ in range({"fast": 1, "slow": 60}.get(way, 20)):
            np.add(x, 1, out=np.empty_like(x))

    __name__ = "counted"


@pytest.fixture
def counted():
    return Counted()


WAYS = ("slow", "fast", "middle")


@pytest.fixture
def ways():
    return [libbench.Config({"way": way}) for way in WAYS]


@pytest.fixture
def x():
    return np.ones(512)
