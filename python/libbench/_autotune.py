# SPDX-License-Identifier: Apache-2.0
"""autotune: a function whose configuration is chosen by what its arguments are and where they live."""

from __future__ import annotations

import json
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from . import _core, _frameworks, _measure
from ._config import check_configs, config_values
from ._context import default_context
from ._exhaustive import tune_exhaustively
from ._heuristics import Heuristics
from ._options import read_bucket, read_pruning
from ._signature import REQUIRED, Signature, code_version
from .errors import InvalidArgumentError, NotTunedError, classify

# bench.h: flags of a tuner.
_NO_STORE, _CHECK_OUTPUTS, _NO_WAIT, _CAPTURE_IS_ERROR, _WATCH_ARGUMENTS = 1, 2, 4, 8, 16
_TUNING = {"full": 0, "incremental": 1, "cached-only": 2, "pinned": 3}
_ROLE_OUT, _ROLE_IN, _ROLE_INOUT = 2, 1, 3


def _printing() -> bool:
    return any(os.environ.get(name, "0") not in ("", "0") for name in ("BENCH_PRINT_AUTOTUNING", "TRITON_PRINT_AUTOTUNING"))


class Autotuner(_core.Tuned):
    """What `autotune` makes. A call with a known key costs the lookup and the call; a cold key is tuned
    in the call that meets it, by one thread, while others wait."""

    def __init__(
        self,
        fn: Any,
        configs: Iterable[Any],
        key: Sequence[str],
        prune_configs_by: Mapping[str, Any] | None = None,
        reset_to_zero: Sequence[str] | None = None,
        restore_value: Sequence[str] | None = None,
        pre_hook: Callable[..., Any] | None = None,
        post_hook: Callable[..., Any] | None = None,
        warmup: float | None = None,
        rep: float | None = None,
        use_cuda_graph: bool = False,
        do_bench: Callable[..., Any] | None = None,
        cache_results: bool = True,
        *,
        inputs: Sequence[str] = (),
        outputs: Sequence[str] = (),
        mode: str = "back-to-back",
        tuning: str = "full",
        pinned: int | None = None,
        default: int = 0,
        device: Any = None,
        stream: Any = None,
        buckets: Mapping[str, str] | None = None,
        check: bool = False,
        tolerance: float = 0.0,
        watch: bool = True,
        wait: bool = True,
        repeatable: bool | None = None,
        capturable: bool = False,
        capture: str = "default",
        method: str = "auto",
        engine: bool = False,
        eps: float = 0.0,
        delta: float = 0.0,
        switch_margin: float = 0.0,
        max_time: float | None = None,
        memory_budget: int = 0,
        name: str | None = None,
        version: str | None = None,
        context: _core.Context | None = None,
        arg_names: list[str] | None = None,
        function: Callable[..., Any] | None = None,
        passes_more: bool = False,
        provided: Iterable[str] = (),
    ) -> None:
        where = "autotune"
        self.fn = fn
        self.heuristic_values: dict[str, Callable[[dict[str, Any]], Any]] = {}
        if isinstance(fn, Heuristics):
            self.heuristic_values = dict(fn.values)
            fn = fn.fn
        if not callable(fn) and function is None:
            raise TypeError(f"autotune got a {type(fn).__name__}, which cannot be called")
        self.base_fn = getattr(fn, "fn", fn)
        self.configs = check_configs(configs, where)
        if isinstance(key, str):
            raise TypeError(f"key is a text: give a list of names, [{key!r}]")
        self.keys = list(key)
        self._function = function or fn
        self._values = [config_values(config) for config in self.configs]
        given = {each for values in self._values for each in values} | set(self.heuristic_values)
        given |= set(provided)
        signature_of = self.base_fn if arg_names is not None else fn
        self._signature = Signature(signature_of, given, arg_names)
        self.arg_names = self._signature.names
        self._check_fields(where, options_allowed=function is not None)
        self._signature.passes_more = self._signature.passes_more or passes_more
        self.restore_value = list(restore_value or ())
        self.reset_to_zero = list(reset_to_zero or ())
        for list_name, names in (
            ("key", self.keys),
            ("reset_to_zero", self.reset_to_zero),
            ("restore_value", self.restore_value),
            ("inputs", inputs),
            ("outputs", outputs),
            ("buckets", buckets or {}),
        ):
            self._check_names(list_name, names, where)
        if tuning not in _TUNING:
            raise InvalidArgumentError(f"tuning is {tuning!r}", where, f"give one of {', '.join(_TUNING)}")
        if (tuning == "pinned") != (pinned is not None):
            raise InvalidArgumentError("tuning='pinned' and pinned= belong together", where, "give both, or neither")
        if capture not in ("default", "error"):
            raise InvalidArgumentError(f"capture is {capture!r}", where, "give 'default' or 'error'")
        self.pre_hook = pre_hook
        self.post_hook = post_hook
        self.perf_model, self.configs_top_k, self.early_config_prune = read_pruning(prune_configs_by, where)
        self._user_do_bench = do_bench
        self._device, self._stream = device, stream
        self._context = context
        self._waits = wait
        changes = bool(self.restore_value or self.reset_to_zero or pre_hook or post_hook)
        changes = changes or any(getattr(config, "pre_hook", None) for config in self.configs)
        repeatable = not changes if repeatable is None else repeatable
        self._flags = (_measure.REPEATABLE if repeatable else 0) | (_measure.CAPTURABLE if capturable else 0)
        if warmup is not None or rep is not None:
            _measure.warn_deprecated("autotune(warmup=, rep=)", "give max_time= in ms, or nothing: the race stops by itself")
            if max_time is None:  # never longer than those would have taken
                max_time = ((25 if warmup is None else warmup) + (100 if rep is None else rep)) * len(self.configs)
        if use_cuda_graph:
            _measure.warn_deprecated("autotune(use_cuda_graph=)", "give capturable=True: graphs are used where they are better")
            self._flags |= _measure.CAPTURABLE
        roles = {each: _ROLE_OUT for each in outputs} | {each: _ROLE_IN for each in inputs}
        roles |= {each: _ROLE_INOUT for each in self.restore_value}
        flags = 0 if cache_results else _NO_STORE
        flags |= _CHECK_OUTPUTS if check else 0
        flags |= _WATCH_ARGUMENTS if watch and not changes else 0
        flags |= 0 if wait else _NO_WAIT
        flags |= _CAPTURE_IS_ERROR if capture == "error" else 0
        identity = name or f"{getattr(self.base_fn, '__module__', '?')}.{getattr(self.base_fn, '__qualname__', self._signature.name)}"
        self._options: dict[str, Any] = {
            "name": f"{identity}/{version if version is not None else code_version(fn)}",
            "configs": self._values,
            "argument_names": self.arg_names,
            "roles": [roles.get(each, 0) for each in self.arg_names],
            "key": self.keys,
            "buckets": [read_bucket((buckets or {}).get(each), each, where) for each in self.keys],
            "restore": self.restore_value,
            "zero": self.reset_to_zero,
            "default": default,
            "flags": flags,
            "policy": _measure.policy(mode, method=method, engine=engine),
            "device": _frameworks.device_name(device),
            "eps": eps,
            "delta": delta,
            "switch_margin": switch_margin,
            "max_time_ns": (max_time or 0) * 1e6,
            "mode": _TUNING[tuning],
            "pinned": pinned or 0,
            "top_count": self.configs_top_k if isinstance(self.configs_top_k, int) and self.perf_model else 0,
            "top_fraction": self.configs_top_k if isinstance(self.configs_top_k, float) and self.perf_model else 0.0,
            "saved_bytes_limit": memory_budget,
            "tolerance": tolerance,
        }
        if not 0 <= default < len(self.configs):
            raise InvalidArgumentError(f"default is {default}", where, f"give a position below {len(self.configs)}")
        self._lock = threading.Lock()
        self._tuner: _core.Tuner | None = None
        self.best_config: Any = None
        self.configs_timings: dict[Any, float] | None = None
        self.bench_time: float | None = None
        for attribute in ("__name__", "__qualname__", "__doc__", "__module__"):
            if hasattr(self.base_fn, attribute):
                setattr(self, attribute, getattr(self.base_fn, attribute))
        self.__wrapped__ = self.base_fn

    def _check_fields(self, where: str, options_allowed: bool) -> None:
        """A field that the kernel lacks would be a TypeError in each launch: said here once."""
        if self._signature.passes_more:
            return
        for at, config in enumerate(self.configs):
            own = set(getattr(config, "kwargs", self._values[at])) if options_allowed else set(self._values[at])
            unknown = own - self._signature.all_names
            if unknown:
                raise InvalidArgumentError(
                    f"configuration {at} sets {', '.join(sorted(unknown))}, which {self._signature.name} does not take",
                    where,
                    f"its parameters are {', '.join(sorted(self._signature.all_names))}",
                )

    def _check_names(self, list_name: str, names: Iterable[str], where: str) -> None:
        if isinstance(names, str):
            raise TypeError(f"{list_name} is a text: give a list of names, [{names!r}]")
        for each in names:
            if each not in self.arg_names:
                raise InvalidArgumentError(
                    f"{list_name} names {each!r}, which is no argument of {self._signature.name}",
                    where,
                    f"its arguments are {', '.join(self.arg_names)}",
                )

    def _ensure(self) -> _core.Tuner:
        """The tuner is made with the first call, so that decorating starts nothing."""
        if self._tuner is not None:
            return self._tuner
        with self._lock:
            if self._tuner is None:
                context = self._context or default_context()
                self._context = context
                tuner = _core.Tuner(context, self._options)
                has_heuristics = bool(self.heuristic_values)
                slow = [has_heuristics or bool(getattr(config, "pre_hook", None)) for config in self.configs]
                self._prepare(
                    tuner,
                    self._function,
                    tuple(self.arg_names),
                    tuple(self._signature.defaults),
                    REQUIRED,
                    self._values,
                    slow,
                    self._signature.passes_more,
                )
                self._tuner = tuner
        return self._tuner

    def _miss(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Every call that is not a plain hit."""
        tuner = self._ensure()
        bound = self._signature.bind(args, kwargs)
        values = tuple(bound.values())
        index = tuner.find(values)
        if index is None:
            index = self._tune(tuner, values, bound, args, kwargs)
        self.best_config = self.configs[index]
        keywords = {**kwargs, **self._all_values(index, bound, kwargs)}
        hook = getattr(self.configs[index], "pre_hook", None)
        if hook is not None:
            hook({**bound, **keywords})
        return self._function(*args, **keywords)

    def _all_values(self, index: int, bound: dict[str, Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        values = dict(self._values[index])
        for name, heuristic in self.heuristic_values.items():
            values[name] = heuristic({**bound, **kwargs, **values})
        return values

    def _tune(
        self, tuner: _core.Tuner, values: tuple[Any, ...], bound: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> int:
        conflicts = kwargs.keys() & self._values[0].keys()
        if conflicts:
            raise ValueError(f"{', '.join(sorted(conflicts))}: given by the configurations, not to be passed")
        begun = time.perf_counter()
        all_values = [self._all_values(at, bound, kwargs) for at in range(len(self.configs))]
        if self._user_do_bench is not None:
            index, self.configs_timings = tune_exhaustively(self, self._user_do_bench, bound, args, kwargs, all_values)
            tuner.choose(values, index)
        else:
            index = self._race(tuner, values, bound, args, kwargs, all_values)
        self.bench_time = time.perf_counter() - begun
        self._tell(tuner, values, index)
        return index

    def _race(
        self,
        tuner: _core.Tuner,
        values: tuple[Any, ...],
        bound: dict[str, Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        all_values: list[dict[str, Any]],
    ) -> int:
        found = list(_frameworks.tensors(values, depth=0))
        flags, waits, stream = self._flags, _frameworks.is_pending(values), _frameworks.stream_of(self._stream)
        # What the core will find: a 0-d host tensor beside a device's does not count.
        pairs = {_frameworks.device_of(each) for each in found}
        pair = next(iter(pairs)) if len(pairs) == 1 else None
        if len(pairs) > 1 and self._device is None:
            try:
                pair = self._context.dispatch(found, "")  # type: ignore[union-attr]
            except InvalidArgumentError:
                pair = None  # the tune will say it, with the arguments' names
        if self._device is not None:
            pair = self._context.parse_device(self._options["device"])  # type: ignore[union-attr]
        if stream is None and pair is not None:
            stream = _frameworks.current_stream(pair, found)
        _frameworks.check_stream(pair, stream)
        if pair is not None and pair[0] == _frameworks.CPU and not waits:
            flags |= _measure.SYNCHRONOUS
        if stream is not None:
            flags |= _measure.OWN_STREAM
        hooks: dict[str, Any] = {"classify": classify, "waits": waits}
        if self.early_config_prune is not None:
            hooks["prune"] = lambda: self.kept(args, kwargs)
        if self.perf_model is not None:
            model, positional = self.perf_model, dict(zip(self.arg_names, args))
            hooks["estimate"] = lambda at: model(**positional, **kwargs, **self._values[at])
        config_hooks = [getattr(config, "pre_hook", None) for config in self.configs]
        if self.pre_hook is not None or any(config_hooks):

            def before(at: int) -> None:
                full = {**bound, **kwargs, **all_values[at]}
                for hook in (config_hooks[at], self.pre_hook):
                    if hook is not None:
                        hook(full)

            hooks["pre_hook"] = before
        if self.post_hook is not None:
            after = self.post_hook
            hooks["post_hook"] = lambda at, exception: after({**bound, **kwargs, **all_values[at]}, exception=exception)
        return tuner.tune(values, self._function, args, kwargs, all_values, stream, flags, hooks)

    def kept(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[bool]:
        """Which configurations early pruning keeps. It may return equal copies of ours."""
        named = dict(zip(self.arg_names, args))
        assert self.early_config_prune is not None  # asked only where it was given
        kept = list(self.early_config_prune(self.configs, named, **kwargs))
        positions = {id(config): at for at, config in enumerate(self.configs)}
        result = [False] * len(self.configs)
        for config in kept:
            at = positions.get(id(config))
            if at is None:
                wanted = config_values(config)
                at = next((place for place, values in enumerate(self._values) if values == wanted), None)
            if at is None:
                raise ValueError(f"early_config_prune returned {config}, which is not among configs")
            result[at] = True
        return result

    def _tell(self, tuner: _core.Tuner, values: tuple[Any, ...], index: int) -> None:
        text = tuner.report_json(values)
        if text is None:  # incremental, not done yet
            return
        report = json.loads(text)
        for warning in report.get("warnings", ()):
            warnings.warn(warning, RuntimeWarning, stacklevel=5)
        if self._user_do_bench is None:
            self.configs_timings = {
                self.configs[entry["index"]]: entry["median_ns"] / 1e6
                for entry in report.get("configurations", ())
                if entry.get("median_ns") is not None
            }
        if _printing():
            print(
                f"libbench: {self._signature.name} for {report.get('key', '?')} on {report.get('device', '?')}: "
                f"{self.configs[index]} after {self.bench_time:.3f} s ({report.get('stop_reason')})"
            )

    def report(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """What was decided for these arguments, and why. NotTunedError for a cold key."""
        tuner = self._ensure()
        text = tuner.report_json(tuple(self._signature.bind(args, kwargs).values()))
        if text is None:
            raise NotTunedError("nothing is tuned yet for these arguments", "report", "call the function first")
        return json.loads(text)

    def choose(self, config: int | Any, *args: Any, **kwargs: Any) -> None:
        """Settles a cold key without measuring: for choices that come from elsewhere, another rank say."""
        index = config if isinstance(config, int) else self.configs.index(config)
        self._ensure().choose(tuple(self._signature.bind(args, kwargs).values()), index)

    def __repr__(self) -> str:
        return f"<libbench autotuned {self._signature.name}, {len(self.configs)} configurations>"


def autotune(configs: Iterable[Any], key: Sequence[str], *args: Any, **kwargs: Any) -> Callable[[Any], Autotuner]:
    """Decorates a function with its configurations. The parameters are those of `triton.autotune` and, by
    keyword, more: see docs/python.md. A `triton.jit` kernel gets `libbench.triton.autotune`."""

    def decorate(fn: Any) -> Autotuner:
        inner = fn.fn if isinstance(fn, Heuristics) else fn
        if hasattr(inner, "run") and hasattr(inner, "arg_names"):
            from . import triton

            return triton.Autotuner(fn, configs, key, *args, **kwargs)
        return Autotuner(fn, configs, key, *args, **kwargs)

    return decorate
