# SPDX-License-Identifier: Apache-2.0
"""For PyTorch's Inductor: its choices are timed by libbench. Nothing is imported before `register`."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

from ._measure import do_bench
from .errors import UnsupportedError

_MODULE = "torch._inductor.runtime.benchmarking"


def benchmark(fn: Callable[..., Any], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None, **more: Any) -> float:
    """Milliseconds of `fn(*args, **kwargs)`, as Inductor asks for them. Options that are about the method of
    another benchmarker are ignored, as Inductor's own ignore each other's."""
    known = {name: more[name] for name in ("device", "grad_to_none", "quantiles", "return_mode", "warmup", "rep") if name in more}
    known.setdefault("return_mode", "median")
    return do_bench(fn, args=args or (), kwargs=kwargs or {}, **known)


def register(device_types: Iterable[str] = ("cpu", "cuda", "xpu")) -> Callable[[], None]:
    """Makes Inductor time with libbench; the returned function undoes it. Uses `register_benchmarker`
    where this PyTorch has it, and replaces the module's benchmarker by a subclass where not."""
    try:
        module = importlib.import_module(_MODULE)
    except ImportError as error:
        raise UnsupportedError(
            f"there is no {_MODULE}: {error}", "libbench.torch.register", "install PyTorch 2.5 or newer"
        ) from error
    registrar = getattr(module, "register_benchmarker", None)
    if registrar is not None:
        return _register_functions(module, registrar, tuple(device_types))
    return _replace_benchmarker(module)


def _register_functions(module: Any, registrar: Callable[..., Any], device_types: tuple[str, ...]) -> Callable[[], None]:
    table = next(
        (value for name, value in vars(module).items() if isinstance(value, dict) and "benchmarker" in name.lower()), None
    )
    before = dict(table) if table is not None else {}
    for device_type in device_types:
        registrar(device_type, _for_type(device_type), override=True)

    def undo() -> None:
        for device_type in device_types:
            if device_type in before:
                registrar(device_type, before[device_type], override=True)
            elif table is not None:
                table.pop(device_type, None)

    return undo


def _for_type(device_type: str) -> Callable[..., float]:
    def timed(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> float:
        """Inductor gives a callable without arguments, or one with `args, kwargs`."""
        inner = tuple(args[0]) if args and isinstance(args[0], (tuple, list)) else ()
        keywords = args[1] if len(args) > 1 and isinstance(args[1], dict) else kwargs.pop("fn_kwargs", {})
        from . import _frameworks

        # The arguments know the device's number; the type alone is enough where there is one.
        if not any(True for _ in _frameworks.tensors((*inner, *keywords.values()))) and not _frameworks.tensors_of_callable(fn):
            kwargs.setdefault("device", device_type)
        return benchmark(fn, inner, keywords, **kwargs)

    return timed


def _replace_benchmarker(module: Any) -> Callable[[], None]:
    base = getattr(module, "Benchmarker", None)
    if base is None:
        raise UnsupportedError(
            f"{_MODULE} has neither register_benchmarker nor Benchmarker", "libbench.torch.register", "use a known PyTorch"
        )
    before = module.benchmarker

    class LibbenchBenchmarker(base):  # type: ignore[misc, valid-type]
        """Inductor's benchmarker over libbench."""

        def benchmark(self, fn: Callable[..., Any], fn_args: Any = (), fn_kwargs: Any = None, **more: Any) -> float:
            return benchmark(fn, tuple(fn_args or ()), fn_kwargs, **more)

        def benchmark_cpu(self, fn: Callable[[], Any], *args: Any, **more: Any) -> float:
            return benchmark(fn, device="cpu", **more)

        def benchmark_gpu(self, fn: Callable[[], Any], *args: Any, **more: Any) -> float:
            return _for_type(_gpu_type())(fn, **more)

        def benchmark_many_gpu(self, callables: Iterable[Callable[[], Any]], *args: Any, **more: Any) -> list[float]:
            return [self.benchmark_gpu(each, **more) for each in callables]

    replacement = LibbenchBenchmarker()
    module.benchmarker = replacement

    def undo() -> None:
        module.benchmarker = before

    return undo


def _gpu_type() -> str:
    import sys

    torch = sys.modules.get("torch")
    xpu = getattr(torch, "xpu", None)
    return "xpu" if xpu is not None and xpu.is_available() else "cuda"
