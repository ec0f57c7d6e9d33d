# SPDX-License-Identifier: Apache-2.0
"""do_bench: one callable, measured on the device that its arguments live on."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import _core, _frameworks
from ._context import default_context
from .errors import InvalidArgumentError, classify

POLICIES = {"back-to-back": 0, "hot": 1, "cold": 2}
METHODS = {"auto": 0, "event": 2, "gate": 3, "graph": 5, "profiler": 6}

# plugin_v1.h: flags of a callable.
SYNCHRONOUS, CAPTURABLE, REPEATABLE, OWN_STREAM = 1, 2, 4, 8

_RETURN_MODES = ("min", "max", "mean", "median", "all", "measurement")


@dataclass(frozen=True)
class Measurement:
    """Times per launch in ns. `median_ns` is over windows, of window averages where
    `launches_per_window` is more than one; `interval_ns` is its 95 % interval, or None with the reason
    in `note`."""

    median_ns: float
    mean_ns: float
    min_ns: float
    max_ns: float
    p20_ns: float
    p80_ns: float
    interval_ns: tuple[float, float] | None
    launches_per_window: int
    device: str
    stop_reason: str
    note: str
    method: int
    flags: int
    resolution_ns: float
    floor_ns: float
    samples_ns: list[float] = field(repr=False)


def quantile(sorted_values: Sequence[float], part: float) -> float:
    """Linear between the two neighbours, as Triton's."""
    if not 0 <= part <= 1:
        raise ValueError(f"quantile {part} is not between 0 and 1")
    position = part * (len(sorted_values) - 1)
    low = int(position)
    high = min(low + 1, len(sorted_values) - 1)
    return sorted_values[low] + (sorted_values[high] - sorted_values[low]) * (position - low)


def policy(
    mode: str,
    *,
    method: str = "auto",
    engine: bool = False,
    max_samples: int | None = None,
    precision: float | None = None,
    max_time_ns: float | None = None,
) -> dict[str, Any]:
    """What the core's policy struct gets. Names that it does not know are errors here, with the list."""
    if mode not in POLICIES:
        raise InvalidArgumentError(f"mode is {mode!r}", "do_bench", f"give one of {', '.join(POLICIES)}")
    if method not in METHODS:
        raise InvalidArgumentError(f"method is {method!r}", "do_bench", f"give one of {', '.join(METHODS)}")
    return {
        "kind": POLICIES[mode],
        "engine": engine,
        "max_samples": max_samples or 0,
        "precision": precision or 0.0,
        "max_time_ns": max_time_ns or 0.0,
        "method": METHODS[method],
    }


def resolve_device(
    context: _core.Context, device: Any, values: Iterable[Any], function: Any, name: str = "do_bench"
) -> tuple[tuple[int, int], list[Any]]:
    """The device: as named, else of the arguments, else of what the callable visibly holds."""
    found = list(_frameworks.tensors(values))
    if device is not None:
        return context.parse_device(_frameworks.device_name(device)), found
    if not found:
        found = _frameworks.tensors_of_callable(function)
    if not found:
        raise InvalidArgumentError(
            "no argument with a device: nothing has __dlpack_device__",
            name,
            'pass the arrays in args=, or name the device, as in device="cpu"',
        )
    # 0-d host tensors, pinned memory, vendors' own classes, two devices: the core knows the rules.
    return context.dispatch(found, ""), found


def do_bench(
    fn: Callable[..., Any],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Iterable[Any] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
    *,
    device: Any = None,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    mode: str = "cold",
    stream: Any = None,
    prepare: Callable[[], Any] | None = None,
    restore: Callable[[], Any] | None = None,
    repeatable: bool = True,
    capturable: bool = False,
    method: str = "auto",
    engine: bool = False,
    max_samples: int | None = None,
    precision: float | None = None,
    context: _core.Context | None = None,
) -> Any:
    """Measures `fn(*args, **kwargs)` and returns milliseconds.

    The first six parameters are those of `triton.testing.do_bench`. `warmup` and `rep` together bound the
    time in ms; measuring ends earlier once the median's interval is narrow. `quantiles` wins over
    `return_mode`, which may also be "measurement" for all that is known.

    The device is that of the tensors in `args` (anything with `__dlpack_device__`), else of those in the
    callable's closure, else `device` must name it. `mode`: "cold" (caches flushed before each launch),
    "hot" (one launch a window), "back-to-back". `prepare` runs before each window and outside it."""
    if not callable(fn):
        raise TypeError(f"fn is a {type(fn).__name__}, which cannot be called")
    if return_mode not in _RETURN_MODES:
        raise InvalidArgumentError(
            f"return_mode is {return_mode!r}", "do_bench", f"give one of {', '.join(_RETURN_MODES)}"
        )
    if warmup < 0 or rep < 0 or warmup + rep <= 0:
        raise InvalidArgumentError(f"warmup={warmup} and rep={rep} leave no time", "do_bench", "give positive ms")
    context = context or default_context()
    effort = policy(
        mode,
        method=method,
        engine=engine,
        max_samples=max_samples,
        precision=precision,
        max_time_ns=(warmup + rep) * 1e6,
    )
    # Percentiles are of single launches.
    if mode == "back-to-back" and (quantiles is not None or return_mode in ("min", "max", "all")):
        effort["kind"] = POLICIES["hot"]
    pair, found = resolve_device(context, device, (*args, *(kwargs or {}).values()), fn)
    named_stream = _frameworks.stream_of(stream)
    if named_stream is None:
        named_stream = _frameworks.current_stream(pair, found)
    _frameworks.check_stream(pair, named_stream)
    gradients = list(grad_to_none) if grad_to_none is not None else []
    before = prepare
    if gradients:

        def before() -> None:
            for each in gradients:
                each.grad = None
            if prepare is not None:
                prepare()

    # Pays for compilation, and shows whether results come later. Like every launch it needs its prepare.
    if before is not None:
        before()
    first = fn(*args, **(kwargs or {}))
    pending = _frameworks.is_pending(first)
    if pending:
        _frameworks.wait(first)
    del first
    flags = 0
    if repeatable and before is None:
        flags |= REPEATABLE
    if capturable:
        flags |= CAPTURABLE
    if pair[0] == _frameworks.CPU and not pending:
        flags |= SYNCHRONOUS
    if named_stream is not None:
        flags |= OWN_STREAM
    hooks = {"prepare": before, "restore": restore, "classify": classify, "waits": pending}
    raw = _core.measure(
        context,
        pair,
        named_stream,
        fn,
        tuple(args),
        dict(kwargs or {}),
        flags,
        effort,
        hooks,
    )
    measurement = Measurement(device=_frameworks.device_tag(pair), **raw)
    return _summary(measurement, quantiles, return_mode)


def _summary(measurement: Measurement, quantiles: Sequence[float] | None, return_mode: str) -> Any:
    milliseconds = [each / 1e6 for each in measurement.samples_ns]
    if quantiles is not None:
        ordered = sorted(milliseconds)
        result = [quantile(ordered, part) for part in quantiles]
        return result[0] if len(result) == 1 else result
    if return_mode == "all":
        return milliseconds
    if return_mode == "measurement":
        return measurement
    return getattr(measurement, f"{return_mode}_ns") / 1e6


_warned: set[str] = set()


def warn_deprecated(name: str, instead: str) -> None:
    """Once a process for each name: in a loop of decorators one line is enough."""
    if name in _warned:
        return
    _warned.add(name)
    warnings.warn(f"{name} is deprecated: {instead}", DeprecationWarning, stacklevel=4)
