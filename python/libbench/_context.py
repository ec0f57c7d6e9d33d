# SPDX-License-Identifier: Apache-2.0
"""The process's context: where plugins come from and where results go."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import _core, errors  # noqa: F401 - errors tells the core how to raise

_IGNORE_ENVIRONMENT = 1
_ALLOW_WORLD_WRITABLE = 2
_NO_STORE = 4

_lock = threading.Lock()
_default: _core.Context | None = None


def plugin_path() -> str:
    """The folder with the plugins that came with this package, for BENCH_PLUGIN_PATH of others."""
    return str(Path(__file__).resolve().parent / "lib" / "bench" / "plugins-1")


def make_context(
    plugin_paths: Sequence[str | os.PathLike[str]] = (),
    store: str | os.PathLike[str] | bool | None = True,
    *,
    environment: bool = True,
    allow_world_writable: bool = False,
) -> _core.Context:
    """A context of its own. `store`: True for the usual file, a path, or False for none."""
    flags = 0 if environment else _IGNORE_ENVIRONMENT
    if allow_world_writable:
        flags |= _ALLOW_WORLD_WRITABLE
    if store is None or store is False:
        flags |= _NO_STORE
    path = "" if store is None or isinstance(store, bool) else os.fspath(store)
    return _core.Context([os.fspath(each) for each in plugin_paths], path, flags)


def configure(*args: Any, **kwargs: Any) -> _core.Context:
    """Makes the default context anew, with the parameters of make_context. Tuned functions that exist
    keep the one that they were used with."""
    global _default
    context = make_context(*args, **kwargs)
    with _lock:
        _default = context
    return context


def default_context() -> _core.Context:
    global _default
    if _default is None:
        with _lock:
            if _default is None:
                _default = make_context()
    return _default


def _after_fork_in_child() -> None:
    # The parent's lock may be held by a thread that does not exist here. The context stays: keys that it
    # tuned are still found, and it refuses by itself what needs a device.
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork_in_child)


def devices(context: _core.Context | None = None) -> list[dict[str, Any]]:
    """The devices of all plugins: tag, class, name, plugin, state, reason."""
    return json.loads((context or default_context()).devices_json())


def plugins(context: _core.Context | None = None, *, story: bool = False) -> Any:
    """The plugins that were found; with `story` also where was looked and what was skipped, and why."""
    return json.loads((context or default_context()).plugins_json(story))
