#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tunes one example as a user would and checks what the report claims.

Usage: check_tune.py BENCH PROBLEM_FILE VALID_CONFIGURATIONS [--faster]

--faster: the winner's median must lie below the default's. Only for examples whose default is slower
by far more than any disturbance of the machine could hide.
"""
import json
import subprocess
import sys

# What may become of a candidate whose kernel is right: measured, or left out by the race's budget.
ALLOWED_STATES = {"measured", "not-tested", "pruned"}
LIMIT_S = 240
SKIPPED = 77  # what CTest is told to show as skipped
SWITCH_MARGIN = 0.01  # the tuner's default: a proven gain up to it keeps the default


def check(condition, message):
    if not condition:
        sys.exit("FAILED: " + message)


def main():
    program, problem, expected_valid = sys.argv[1], sys.argv[2], int(sys.argv[3])
    must_be_faster = "--faster" in sys.argv[4:]
    command = [program, "tune", problem, "--json", "--no-store", "--quiet"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
    check(run.returncode == 0, f"exit status {run.returncode}, stderr: {run.stderr}")
    try:
        report = json.loads(run.stdout)
    except ValueError as error:
        sys.exit(f"FAILED: standard output is not JSON: {error}: {run.stdout[:500]!r}")

    extras = report["x-bench"]
    candidates = extras["candidates"]
    check(extras["space"]["valid"] == expected_valid,
          f"{extras['space']['valid']} valid configurations, expected {expected_valid}")
    check(len(report["results"]) > 0, "no results")
    check(all(result["correctness"] == 1 for result in report["results"]
              if result["invalidity"] == "correct"), "a correct result without correctness 1")

    bad = {state: count for state, count in extras["states"].items()
           if count and state not in ALLOWED_STATES}
    check(not bad, f"candidates in states {bad}; each is meant to be right")
    check(sum(extras["states"].values()) == expected_valid,
          f"states {extras['states']} do not add up to {expected_valid}")

    winners = [candidate for candidate in candidates if candidate["winner"]]
    check(len(winners) == 1, f"{len(winners)} winners")
    winner = winners[0]
    check(winner["state"] == "measured", f"the winner is {winner['state']}")
    check(winner["verified"] is True, "the winner's output was not compared with the reference")
    check(winner["configuration"] == extras["winner"]["configuration"],
          "the candidates name another winner than the summary")
    defaults = [candidate for candidate in candidates if candidate["default"]]
    check(len(defaults) == 1 and defaults[0]["verified"] is True, "the default was not verified")
    check(extras["winner"]["median_ns"] > 0, "the winner took no time")
    if must_be_faster:
        # The race keeps the default where disturbances leave no gain proven. On a machine with more
        # work than cores that happens even at a hundredfold gain, so it says nothing about the code.
        bound = extras["gain_lower_bound"]
        if winner["default"] and (bound is None or bound <= SWITCH_MARGIN):
            print(f"SKIPPED: the machine is too disturbed to prove a gain: observed "
                  f"{extras['gain']}, lower bound {bound}, stopped by {extras['stop_reason']}")
            sys.exit(SKIPPED)
        fast, slow = extras["winner"]["median_ns"], extras["default"]["median_ns"]
        check(fast < slow, f"the winner takes {fast} ns, the default {slow} ns")
    print(f"{extras['problem']}: {winner['configuration']}, "
          f"{extras['default']['median_ns'] / extras['winner']['median_ns']:.1f} x the default")


main()
