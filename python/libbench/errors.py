# SPDX-License-Identifier: Apache-2.0
"""What the library raises. Exceptions of your own callables come back as themselves."""

from __future__ import annotations

from . import _core


class Error(RuntimeError):
    """What happened, where, and what to do about it."""

    def __init__(self, what: str, where: str = "", hint: str = "", status: int = -15, name: str = "internal") -> None:
        super().__init__(f"{where}: {what}" if where else what)
        self.what = what
        self.where = where
        self.hint = hint
        self.status = status
        self.status_name = name

    def __str__(self) -> str:
        line = f"{self.where}: {self.what}" if self.where else self.what
        return f"{line} ({self.hint})" if self.hint else line


class InvalidArgumentError(Error, ValueError):
    """The caller's mistake: two devices, none, a name that does not exist."""


class UnsupportedError(Error):
    """Absent here: in a forked child, on this plugin, with this method."""


class DeviceError(Error):
    """No driver, no device, no permission, or a device that was lost."""


class BusyError(Error):
    """Held by another, or inside a capture."""


class TimeoutError(Error):  # noqa: A001 - the name that users look for, in this module
    """The time passed before there was an answer."""


class CancelledError(Error):
    """Stopped by its caller."""


class NoValidConfigError(Error):
    """Every configuration failed. `failures` holds the exception of each by its position."""

    failures: dict[int, BaseException] = {}


class NotTunedError(Error):
    """A cold key, and no way to tune it."""


class ConfigRejected(Exception):
    """Raise it in a kernel for a configuration that cannot run: it is pruned, and is no fault."""


STATUS_OK = 0
STATUS_CONFIG_REJECTED = -1
STATUS_OUT_OF_RESOURCES = -2
STATUS_COMPILE_FAILED = -3
STATUS_CALLABLE_FAILED = -4
STATUS_DEVICE_LOST = -12

_CLASSES: dict[int, type[Error]] = {
    -5: UnsupportedError,
    -6: DeviceError,
    -7: DeviceError,
    -8: DeviceError,
    -9: BusyError,
    -10: TimeoutError,
    -11: CancelledError,
    -12: DeviceError,
    -13: InvalidArgumentError,
    -16: NoValidConfigError,
    -17: NotTunedError,
}


def _make(status: int, name: str, what: str, where: str, hint: str) -> Error:
    return _CLASSES.get(status, Error)(what, where, hint, status, name)


_core.set_error_factory(_make)

# By name, since the classes belong to packages that need not be there.
_BY_NAME = {
    "OutOfResources": STATUS_OUT_OF_RESOURCES,
    "OutOfMemoryError": STATUS_OUT_OF_RESOURCES,
    "CompileTimeAssertionFailure": STATUS_COMPILE_FAILED,
    "CompilationError": STATUS_COMPILE_FAILED,
    "PTXASError": STATUS_COMPILE_FAILED,
}
# After these the context is dead, and every later launch fails as well.
_STICKY = (
    "an illegal memory access was encountered",
    "unspecified launch failure",
    "misaligned address",
    "illegal instruction was encountered",
    "device-side assert triggered",
)


def classify(exception: BaseException) -> int:
    """The status with which a configuration ends that raised `exception`."""
    if isinstance(exception, ConfigRejected):
        return STATUS_CONFIG_REJECTED
    if isinstance(exception, MemoryError):
        return STATUS_OUT_OF_RESOURCES
    for base in type(exception).__mro__:
        if base.__name__ in _BY_NAME:
            return _BY_NAME[base.__name__]
    if isinstance(exception, RuntimeError) and any(text in str(exception) for text in _STICKY):
        return STATUS_DEVICE_LOST
    return STATUS_CALLABLE_FAILED
