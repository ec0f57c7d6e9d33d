# SPDX-License-Identifier: Apache-2.0
"""What must be known of frameworks: devices, current streams, results that are still being computed.
None is imported that the program has not imported itself."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from . import _core
from .errors import InvalidArgumentError

# DLPack's device types.
CPU, CUDA, ROCM, ONEAPI = 1, 2, 10, 14
_TAGS = {CPU: "cpu", CUDA: "cuda", ROCM: "hip", ONEAPI: "xpu"}
# bench.h: kinds of streams.
_STREAM_DEFAULT, _STREAM_PER_THREAD, _STREAM_NATIVE = 1, 2, 3

Stream = tuple[int, int, int]


def is_tensor(value: Any) -> bool:
    """Anything with a DLPack device. Of types, not values: a module or a mock has every attribute."""
    return hasattr(type(value), "__dlpack_device__") or hasattr(type(value), "__dlpack_c_exchange_api__")


def device_name(device: Any) -> str:
    """What the core calls a device: "cuda:0". PyTorch for ROCm calls its devices "cuda" too."""
    if device is None:
        return ""
    if isinstance(device, tuple):
        raise InvalidArgumentError(f"device is {device!r}", "device", 'give a name such as "cuda:0"')
    text = str(device)
    if isinstance(device, str):
        kind, _, index = text.partition(":")
    elif hasattr(device, "type") and hasattr(device, "index"):  # torch.device
        kind, index = str(device.type), "" if device.index is None else str(device.index)
    elif hasattr(device, "platform"):  # jax.Device
        kind, index = str(device.platform), str(getattr(device, "local_hardware_id", None) or getattr(device, "id", 0))
        kind = {"gpu": "cuda"}.get(kind, kind)
        if kind == "cpu":
            index = ""
    else:
        raise InvalidArgumentError(f"device is {device!r}", "device", 'give a name such as "cuda:0"')
    if kind == "cuda" and not isinstance(device, str) and _is_rocm():
        kind = "hip"
    if kind == "cuda" and isinstance(device, str) and _is_rocm() and "torch" in sys.modules:
        kind = "hip"
    return f"{kind}:{index}" if index else kind


def _is_rocm() -> bool:
    torch = sys.modules.get("torch")
    return getattr(getattr(torch, "version", None), "hip", None) is not None


def _roots(values: Iterable[Any]) -> set[str]:
    """The packages that the values' types come from, bases included: a user's subclass of a tensor is one."""
    return {base.__module__.partition(".")[0] for value in values for base in type(value).__mro__}


def device_of(value: Any) -> tuple[int, int] | None:
    """DLPack's pair. A producer of ROCm tensors that calls them CUDA is put right."""
    pair = _core.device_of(value)
    if pair is not None and pair[0] == CUDA and "torch" in _roots((value,)) and _is_rocm():
        return (ROCM, pair[1])
    return pair


def device_tag(pair: tuple[int, int]) -> str:
    """For people; a vendor's own class has no name outside the core."""
    return f"{_TAGS.get(pair[0], f'type {pair[0]}')}:{pair[1]}"


def tensors(values: Iterable[Any], depth: int = 2) -> Iterator[Any]:
    """The tensors among `values`, and in tuples, lists and dicts among them."""
    for value in values:
        if is_tensor(value):
            yield value
        elif depth and isinstance(value, (tuple, list)):
            yield from tensors(value, depth - 1)
        elif depth and isinstance(value, dict):
            yield from tensors(value.values(), depth - 1)


def tensors_of_callable(function: Any) -> list[Any]:
    """The tensors that a callable without arguments works on, as far as it shows them: bound by
    functools.partial, in its closure, its defaults, or globals that its code names."""
    found: list[Any] = []
    if isinstance(function, functools.partial):
        found += tensors((*function.args, *function.keywords.values()))
        function = function.func
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None:
        return found
    cells = []
    for cell in function.__closure__ or ():
        try:
            cells.append(cell.cell_contents)
        except ValueError:  # not assigned yet
            continue
    found += tensors(cells)
    found += tensors(function.__defaults__ or ())
    found += tensors((function.__kwdefaults__ or {}).values())
    if not found:
        found += tensors(function.__globals__[name] for name in code.co_names if name in function.__globals__)
    return found


def current_stream(device: tuple[int, int], values: Iterable[Any] = ()) -> Stream | None:
    """The stream on which the framework of `values` launches now; None where it has none to name."""
    kind, index = device
    modules = _roots(values)
    torch = sys.modules.get("torch")
    if torch is not None and (not modules or "torch" in modules):
        if kind in (CUDA, ROCM) and hasattr(torch, "cuda"):
            return native_stream(torch.cuda.current_stream(index).cuda_stream)
        return None
    cupy = sys.modules.get("cupy")
    if cupy is not None and kind in (CUDA, ROCM) and (not modules or "cupy" in modules):
        return native_stream(cupy.cuda.get_current_stream().ptr)
    return None


def native_stream(handle: int) -> Stream:
    """CUDA's and HIP's special handles are no pointers: 0 and 1 the legacy stream, 2 the thread's."""
    if handle in (0, 1):
        return (_STREAM_DEFAULT, 0, 0)
    if handle == 2:
        return (_STREAM_PER_THREAD, 0, 0)
    return (_STREAM_NATIVE, 0, handle)


def stream_of(given: Any) -> Stream | None:
    """A stream that the caller names: an integer handle or a framework's object."""
    if given is None:
        return None
    if isinstance(given, tuple) and len(given) == 3:
        return given
    protocol = getattr(given, "__cuda_stream__", None)
    if protocol is not None:
        return native_stream(int(protocol()[1]))
    for name in ("cuda_stream", "ptr", "handle"):
        value = getattr(given, name, None)
        if isinstance(value, int):
            return native_stream(value)
    if isinstance(given, int) and not isinstance(given, bool):
        return native_stream(given)
    raise InvalidArgumentError(
        f"stream is a {type(given).__name__}", "stream", "give a handle as an integer, or a stream of a framework"
    )


def check_stream(device: tuple[int, int] | None, stream: Stream | None) -> None:
    """What runs on the calling thread has no queue that somebody else could name."""
    if stream is not None and device is not None and device[0] == CPU:
        raise InvalidArgumentError(
            "a stream was given, but the work is on the cpu, which has none", "stream", "leave stream out, or name its device"
        )


def is_pending(value: Any) -> bool:
    """Results of this kind are still being computed when the call returns (JAX)."""
    if isinstance(value, (tuple, list)):
        return any(is_pending(each) for each in value)
    return hasattr(type(value), "block_until_ready")


def wait(value: Any) -> None:
    if isinstance(value, (tuple, list)):
        for each in value:
            wait(each)
    elif hasattr(type(value), "block_until_ready"):
        value.block_until_ready()
