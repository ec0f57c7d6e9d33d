# SPDX-License-Identifier: Apache-2.0
"""Measures and tunes compute kernels on whatever device their arguments live on."""

from . import errors
from ._autotune import Autotuner, autotune
from ._config import Config
from ._context import configure, devices, make_context, plugin_path, plugins
from ._core import Context, version
from ._heuristics import Heuristics, heuristics
from ._measure import Measurement, do_bench
from .errors import (
    BusyError,
    CancelledError,
    ConfigRejected,
    DeviceError,
    Error,
    InvalidArgumentError,
    NotTunedError,
    NoValidConfigError,
    UnsupportedError,
)

__version__ = version()
__all__ = [
    "Autotuner",
    "BusyError",
    "CancelledError",
    "Config",
    "ConfigRejected",
    "Context",
    "DeviceError",
    "Error",
    "Heuristics",
    "InvalidArgumentError",
    "Measurement",
    "NoValidConfigError",
    "NotTunedError",
    "UnsupportedError",
    "autotune",
    "configure",
    "devices",
    "do_bench",
    "errors",
    "heuristics",
    "make_context",
    "plugin_path",
    "plugins",
    "version",
]
