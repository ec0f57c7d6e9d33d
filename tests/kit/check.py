# SPDX-License-Identifier: Apache-2.0
"""bench-plugin-check on good and bad plugins.

  check.py PROGRAM good PLUGIN              nothing fails or crashes
  check.py PROGRAM bad PLUGIN CHECK VERDICT [TEXT]   that check gives that verdict, its text has TEXT
  check.py PROGRAM formats PLUGIN           JSON and JUnit hold what the text does
  check.py PROGRAM documented DOC           the table of DOC names exactly the checks that there are
"""
import json
import re
import subprocess
import sys
import xml.etree.ElementTree


def ask(program, *arguments, expect=(0, 1)):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode not in expect:
        sys.exit(f"{arguments}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout, done.returncode


def good(program, plugin):
    text, status = ask(program, plugin)
    if status != 0:
        sys.exit(text)
    # A check that skips everything would pass, too.
    if len(re.findall(r"^pass ", text, flags=re.M)) < 40:
        sys.exit(f"fewer than 40 checks passed:\n{text}")


def bad(program, plugin, name, verdict, expected=""):
    text, status = ask(program, plugin, "--format", "json", "--check", name, "--time-limit", "2")
    outcomes = json.loads(text)["checks"]
    if len(outcomes) != 1 or outcomes[0]["verdict"] != verdict or expected not in outcomes[0]["text"]:
        sys.exit(f"expected {name} to give {verdict} with '{expected}':\n{text}")
    if (status == 1) != (verdict in ("fail", "crash")):
        sys.exit(f"exit status {status} for {verdict}")
    if "--check " + name not in outcomes[0]["again"]:
        sys.exit(f"the command that reproduces it does not name the check: {outcomes[0]['again']}")


def formats(program, plugin):
    names = [line.split("\t")[0] for line in ask(program, "--list")[0].splitlines()]
    if len(set(names)) != len(names):
        sys.exit("two checks have one name")
    outcomes = json.loads(ask(program, plugin, "--format", "json")[0])["checks"]
    suite = xml.etree.ElementTree.fromstring(ask(program, plugin, "--format", "junit")[0])
    if [outcome["name"] for outcome in outcomes] != names:
        sys.exit("JSON has other checks than --list")
    if [case.get("name") for case in suite] != names:
        sys.exit("JUnit has other checks than --list")
    skipped = sum(outcome["verdict"] == "skip" for outcome in outcomes)
    if int(suite.get("skipped")) != skipped or len(suite.findall("testcase/skipped")) != skipped:
        sys.exit("JUnit counts other skips than JSON")
    ask(program, plugin, "--check", "no.such", expect=(2,))
    ask(program, expect=(2,))
    ask(program, plugin + ".absent", expect=(2,))


def documented(program, document):
    names = [line.split("\t")[0] for line in ask(program, "--list")[0].splitlines()]
    with open(document, encoding="utf-8") as file:
        table = re.findall(r"^\|.*\| `(\w+\.\w+)` \|$", file.read(), flags=re.M)
    if table != names:
        sys.exit(f"{document} and --list differ: {sorted(set(table) ^ set(names))}")


if __name__ == "__main__":
    {"good": good, "bad": bad, "formats": formats, "documented": documented}[sys.argv[2]](sys.argv[1], *sys.argv[3:])
