# SPDX-License-Identifier: Apache-2.0
"""libbench's tuner beside Triton's own on the matrix product of Triton's tutorial: wall time of a tune,
regret of the pick, cost of a tuned call. Needs a GPU, PyTorch and Triton. Prints JSON.

usage: triton_gemm.py [--sizes 512,2048,8192] [--tunes 20] [--more 0] [--truth-rounds 200]

--more: further tunes by libbench alone, whose picks are judged as well.

Every configuration is compiled and the device warmed before anything is timed. Each section that fails is
recorded with its reason, and the others run."""

import argparse
import json
import os
import statistics
import time
import traceback

import torch
import triton
import triton.language as tl

import libbench
import libbench.triton

CONFIGS = [
    # block m, n, k, stages, warps: those of the tutorial for CUDA, both of its lists
    (128, 256, 64, 3, 8), (64, 256, 32, 4, 4), (128, 128, 32, 4, 4), (128, 64, 32, 4, 4), (64, 128, 32, 4, 4),
    (128, 32, 32, 4, 4), (64, 32, 32, 5, 2), (32, 64, 32, 5, 2), (128, 256, 128, 3, 8), (256, 128, 128, 3, 8),
    (256, 64, 128, 4, 4), (64, 256, 128, 4, 4), (128, 128, 128, 4, 4), (128, 64, 64, 4, 4), (64, 128, 64, 4, 4),
]  # fmt: skip


def configs():
    return [
        triton.Config({"BM": m, "BN": n, "BK": k, "GROUP": 8}, num_stages=stages, num_warps=warps)
        for m, n, k, stages, warps in CONFIGS
    ]


@triton.jit
def product(a, b, c, M, N, K, am, ak, bk, bn, cm, cn,
            BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):  # fmt: skip
    pid = tl.program_id(0)
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = pid // (GROUP * columns)
    first = group * GROUP
    height = min(rows - first, GROUP)
    row = first + (pid % (GROUP * columns)) % height
    column = (pid % (GROUP * columns)) // height
    m = (row * BM + tl.arange(0, BM)) % M
    n = (column * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a_at = a + m[:, None] * am + k[None, :] * ak
    b_at = b + k[:, None] * bk + n[None, :] * bn
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        left = tl.load(a_at, mask=k[None, :] < K - step * BK, other=0.0)
        right = tl.load(b_at, mask=k[:, None] < K - step * BK, other=0.0)
        total = tl.dot(left, right, total)
        a_at += BK * ak
        b_at += BK * bk
    m = row * BM + tl.arange(0, BM)
    n = column * BN + tl.arange(0, BN)
    mask = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c + m[:, None] * cm + n[None, :] * cn, total.to(tl.float16), mask=mask)


def grid(meta):
    return (triton.cdiv(meta["M"], meta["BM"]) * triton.cdiv(meta["N"], meta["BN"]),)


def operands(size):
    torch.manual_seed(0)
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty(size, size, device="cuda", dtype=torch.float16)
    return (a, b, c, size, size, size, *a.stride(), *b.stride(), *c.stride())


def launcher(config, arguments):
    values = config.all_kwargs()
    return lambda: product[grid](*arguments, **values)


def runnable(arguments):
    """Positions of configurations that run here: they are compiled and warm after it."""
    good = []
    for at, config in enumerate(configs()):
        try:
            launcher(config, arguments)()
            torch.cuda.synchronize()
            good.append(at)
        except Exception as error:  # out of shared memory, mostly
            print(f"# configuration {at}: {type(error).__name__}", flush=True)
    return good


def keep_busy(arguments, seconds):
    deadline = time.perf_counter() + seconds
    call = launcher(configs()[4], arguments)
    while time.perf_counter() < deadline:
        for _ in range(10):
            call()
        torch.cuda.synchronize()


def tune_with_triton(arguments):
    tuned = triton.autotune(configs=configs(), key=["M", "N", "K"])(product)
    begun = time.perf_counter()
    tuned[grid](*arguments)
    torch.cuda.synchronize()
    return time.perf_counter() - begun, index_of(tuned.best_config)


def tune_with_libbench(arguments, **more):
    tuned = libbench.triton.autotune(configs=configs(), key=["M", "N", "K"], cache_results=False, **more)(product)
    begun = time.perf_counter()
    tuned[grid](*arguments)
    torch.cuda.synchronize()
    return time.perf_counter() - begun, index_of(tuned.best_config), tuned


def index_of(config):
    wanted = config.all_kwargs()
    return next(at for at, each in enumerate(configs()) if each.all_kwargs() == wanted)


def graph_periods(arguments, good, rounds):
    """The truth by graphs: each holds so many launches that a replay takes about 5 ms; replays of all
    configurations in turn."""
    graphs = {}
    stream = torch.cuda.Stream()
    for at in good:
        call = launcher(configs()[at], arguments)
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        call(), start.record()
        for _ in range(5):
            call()
        stop.record(), torch.cuda.synchronize()
        count = max(1, min(1000, int(5 / max(start.elapsed_time(stop) / 5, 1e-3))))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.stream(stream):
            call()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(count):
                call()
        graphs[at] = (graph, count)
    times = {at: [] for at in good}
    for _ in range(rounds):
        for at in good:
            graph, count = graphs[at]
            start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record(), graph.replay(), stop.record()
            torch.cuda.synchronize()
            times[at].append(start.elapsed_time(stop) / count)
    return times


def eager_times(arguments, good, rounds):
    """The truth by events around single launches, in turn."""
    times = {at: [] for at in good}
    for _ in range(rounds):
        for at in good:
            call = launcher(configs()[at], arguments)
            start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record(), call(), stop.record()
            torch.cuda.synchronize()
            times[at].append(start.elapsed_time(stop))
    return times


def truth(times):
    """Medians, and the half-width of the best one's 95 % interval by ranks."""
    medians = {at: statistics.median(each) for at, each in times.items()}
    best = min(medians, key=medians.get)
    ordered = sorted(times[best])
    reach = int(0.98 * len(ordered) ** 0.5) + 1
    middle = len(ordered) // 2
    half = (ordered[min(middle + reach, len(ordered) - 1)] - ordered[max(middle - reach, 0)]) / 2
    return medians, best, half / medians[best]


def regrets(picks, medians, best):
    return [round(100 * (medians[pick] / medians[best] - 1), 2) for pick in picks if pick in medians]


def judged(percents, half_width_percent):
    """Which picks are further from the best than 1 % and what the truth itself can tell."""
    return {
        "worst_percent": max(percents, default=None),
        "wrong": sum(percent > 1 + half_width_percent for percent in percents),
        "regret_percent": percents,
    }


def measure_size(size, tunes, more, rounds):
    arguments = operands(size)
    good = runnable(arguments)
    keep_busy(arguments, 0.5)
    result = {"size": size, "runnable": len(good)}
    walls = {"triton": [], "libbench": []}
    picks = {"triton": [], "libbench": []}
    for _ in range(tunes):  # in turn: both see the same clock and temperature
        for name, tune in (("triton", tune_with_triton), ("libbench", tune_with_libbench)):
            wall, pick, *_ = tune(arguments)
            walls[name].append(wall)
            picks[name].append(pick)
    for _ in range(more):
        wall, pick, *_ = tune_with_libbench(arguments)
        walls["libbench"].append(wall)
        picks["libbench"].append(pick)
    for name in walls:
        result[name] = {
            "tunes": len(picks[name]),
            "wall_s_median": round(statistics.median(walls[name]), 4),
            "wall_s_min": round(min(walls[name]), 4),
            "wall_s_max": round(max(walls[name]), 4),
            "picks": picks[name],
        }
    for kind, look in (("graph", graph_periods), ("eager", eager_times)):
        try:
            medians, best, half = truth(look(arguments, good, rounds if size < 8192 else max(20, rounds // 8)))
            result[kind] = {
                "best": best,
                "best_ms": round(medians[best], 6),
                "half_width_percent": round(100 * half, 2),
                **{name: judged(regrets(picks[name], medians, best), 100 * half) for name in picks},
            }
        except Exception as error:
            result[kind] = {"failed": repr(error)}
    return result


def call_cost(rounds):
    """Host time of a launch beyond the plain kernel call, queue never full."""
    arguments = operands(64)
    config = configs()[6]
    plain = product[grid]
    values = config.all_kwargs()
    theirs = triton.autotune(configs=[config, configs()[7]], key=["M", "N", "K"])(product)
    _, _, ours = tune_with_libbench(arguments)
    theirs[grid](*arguments)

    def cost(call):
        torch.cuda.synchronize()
        begun = time.perf_counter()
        for _ in range(100):
            call()
        return (time.perf_counter() - begun) / 100 * 1e6

    calls = {
        "plain_us": lambda: plain(*arguments, **values),
        "triton_us": lambda: theirs[grid](*arguments),
        "libbench_us": lambda: ours[grid](*arguments),
    }
    times = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(cost(call))
    result = {name: round(statistics.median(each), 2) for name, each in times.items()}
    for name in ("triton", "libbench"):
        result[f"{name}_added_us"] = round(
            statistics.median(a - b for a, b in zip(times[f"{name}_us"], times["plain_us"])), 2
        )
    return result


def in_place():
    """8 configurations of x += 1, nothing marked; then marked."""

    @triton.jit
    def increment(x, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)

    eight = [triton.Config({"BLOCK": 2**power}) for power in range(5, 13)]
    result = {}
    for name, more in (("unmarked", {}), ("marked", {"restore_value": ["x"]})):
        x = torch.arange(5000, device="cuda", dtype=torch.float32)
        tuned = libbench.triton.autotune(configs=eight, key=["n"], cache_results=False, **more)(increment)
        import warnings

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tuned[lambda meta: (triton.cdiv(5000, meta["BLOCK"]),)](x, 5000)
        right = bool((x == torch.arange(5000, device="cuda") + 1).all())
        result[name] = {"right": right, "warned": [str(each.message)[:120] for each in caught]}
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="512,2048,8192")
    parser.add_argument("--tunes", type=int, default=20)
    parser.add_argument("--truth-rounds", type=int, default=200)
    parser.add_argument("--more", type=int, default=0)
    given = parser.parse_args()
    libbench.configure(store=False)
    result = {
        "benchmark": "embedding/triton_gemm.py",
        "commit": os.environ.get("BENCH_COMMIT", ""),
        "device": torch.cuda.get_device_name(0),
        "triton": triton.__version__,
        "torch": torch.__version__,
        "sizes": [],
    }
    for size in map(int, given.sizes.split(",")):
        try:
            result["sizes"].append(measure_size(size, given.tunes, given.more, given.truth_rounds))
        except Exception:
            result["sizes"].append({"size": size, "failed": traceback.format_exc()[-1500:]})
    for name, section in (("call", lambda: call_cost(100)), ("in_place", in_place)):
        try:
            result[name] = section()
        except Exception:
            result[name] = {"failed": traceback.format_exc()[-1500:]}
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
