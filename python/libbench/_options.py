# SPDX-License-Identifier: Apache-2.0
"""Parameters of autotune that have a form of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .errors import InvalidArgumentError

_BUCKETS = {None: 0, "exact": 0, "pow2": 1}

Pruning = tuple[Callable[..., Any] | None, int | float, Callable[..., Any] | None]


def read_pruning(given: Mapping[str, Any] | None, where: str) -> Pruning:
    """perf_model, top_k and early_config_prune of prune_configs_by."""
    known = dict(given or {})
    model, top, early = known.pop("perf_model", None), known.pop("top_k", 1.0), known.pop("early_config_prune", None)
    if known:
        raise InvalidArgumentError(
            f"prune_configs_by has {', '.join(map(repr, known))}", where, "it takes perf_model, top_k, early_config_prune"
        )
    if isinstance(top, bool) or not (
        (isinstance(top, int) and top >= 1) or (isinstance(top, float) and 0 < top <= 1)
    ):
        raise TypeError(f"top_k is {top!r}: give a count, or a part up to 1.0 as a float")
    return model, top, early


def read_bucket(given: str | None, name: str, where: str) -> int:
    """bench.h: BENCH_BUCKET_*."""
    if given not in _BUCKETS:
        raise InvalidArgumentError(f"the bucket of {name!r} is {given!r}", where, "give 'exact' or 'pow2'")
    return _BUCKETS[given]
