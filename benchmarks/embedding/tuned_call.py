# SPDX-License-Identifier: Apache-2.0
"""What a tuned call adds to the plain call, by where its tensors come from. Prints JSON.

usage: tuned_call.py [--producers numpy,jax,protocol,torch,cupy] [--rounds N]

The function does nothing, so that only the call is timed; plain and tuned calls alternate in rounds, and
the added time is the median over rounds of the differences."""

import argparse
import json
import os
import platform
import statistics
import time

import libbench

CALLS = 2000  # a round takes about a millisecond: shorter than most disturbances


def producers(names):
    import numpy as np

    made = {"numpy": lambda: (np.ones((64, 64), np.float32), np.ones((64, 64), np.float32))}
    if "jax" in names:
        import jax

        made["jax"] = lambda: (jax.numpy.ones((64, 64)), jax.numpy.ones((64, 64)))

    class Protocol:
        """DLPack's Python protocol alone."""

        def __init__(self):
            self.array = np.ones((64, 64), np.float32)
            self.shape, self.dtype = self.array.shape, self.array.dtype

        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **kwargs):
            return self.array.__dlpack__(**kwargs)

    made["protocol"] = lambda: (Protocol(), Protocol())
    if "torch" in names:
        import torch

        device = "cuda" if torch.cuda.is_available() else "cpu"
        made["torch"] = lambda: (torch.ones(64, 64, device=device), torch.ones(64, 64, device=device))
    if "cupy" in names:
        import cupy

        made["cupy"] = lambda: (cupy.ones((64, 64), "f4"), cupy.ones((64, 64), "f4"))
    return {name: made[name] for name in names}


def plain(x, y, m, n, k, block, warps):
    return None


def added_ns(x, y, rounds):
    tuned = libbench.autotune(
        configs=[{"block": 32, "warps": 4}, {"block": 64, "warps": 8}], key=["m", "n", "k"], watch=False
    )(plain)
    tuned(x, y, 1, 2, 3)

    def time_plain():
        begun = time.perf_counter_ns()
        for _ in range(CALLS):
            plain(x, y, 1, 2, 3, block=32, warps=4)
        return (time.perf_counter_ns() - begun) / CALLS

    def time_tuned():
        begun = time.perf_counter_ns()
        for _ in range(CALLS):
            tuned(x, y, 1, 2, 3)
        return (time.perf_counter_ns() - begun) / CALLS

    time_plain(), time_tuned()
    pairs = [(time_plain(), time_tuned()) for _ in range(rounds)]
    return {
        "plain_ns": round(statistics.median(each[0] for each in pairs), 1),
        "tuned_ns": round(statistics.median(each[1] for each in pairs), 1),
        "added_ns": round(statistics.median(each[1] - each[0] for each in pairs), 1),
        # A shared machine disturbs most rounds upwards: its quiet ones.
        "added_ns_p10": round(statistics.quantiles([each[1] - each[0] for each in pairs], n=10)[0], 1),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--producers", default="numpy,protocol")
    parser.add_argument("--rounds", type=int, default=200)
    arguments = parser.parse_args()
    libbench.configure(store=False)
    made = producers(arguments.producers.split(","))
    result = {
        "benchmark": "embedding/tuned_call.py",
        "commit": os.environ.get("BENCH_COMMIT", ""),
        "machine": platform.processor() or platform.machine(),
        "python": platform.python_version(),
        "arguments": "two float32 tensors, three integers of the key, two configuration values",
        "rounds": arguments.rounds,
        "producers": {name: added_ns(*make(), arguments.rounds) for name, make in made.items()},
    }
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
