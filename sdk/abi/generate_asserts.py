#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layout of the ABI's structs as data, and the static asserts made from it.

  generate_asserts.py            writes the assert headers from layout.json
  generate_asserts.py --check    fails if one of them is not what layout.json gives
  generate_asserts.py --probe    adds what the headers have and layout.json lacks. It never changes an
                                 entry: a member that moved is an error, because plugins in the field
                                 were built with the old offset. --restart forgets the old entries,
                                 which is only right before 1.0 is released.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "..", "include")
LAYOUT = os.path.join(HERE, "layout.json")
# Header -> header of its asserts, both below include/.
HEADERS = {
    "bench/plugin_v1.h": "bench/plugin_v1_layout.h",
    "bench/ext/kernel.h": "bench/ext/kernel_layout.h",
    "bench/ext/cpu.h": "bench/ext/cpu_layout.h",
    "bench/ext/gate.h": "bench/ext/gate_layout.h",
    "bench/ext/graph.h": "bench/ext/graph_layout.h",
    "bench/ext/capture.h": "bench/ext/capture_layout.h",
    "bench/ext/telemetry.h": "bench/ext/telemetry_layout.h",
    "bench/ext/profiler.h": "bench/ext/profiler_layout.h",
    "bench/ext/clock.h": "bench/ext/clock_layout.h",
}
# Passed in arrays and by value: they never grow.
FROZEN = {"bench_device_v1", "bench_sample_v1", "bench_activity_v1"}


def parse_structs(text):
    """Names of the public structs and their members, in order."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//[^\n]*", " ", text)
    structs = []
    for match in re.finditer(r"typedef\s+struct\s+(\w+)\s*\{(.*?)\}\s*(\w+)\s*;", text, flags=re.S):
        name, body, alias = match.groups()
        if name != alias:
            sys.exit(f"struct {name} is called {alias} by its typedef: give both one name")
        members = []
        for declaration in filter(None, (part.strip() for part in body.split(";"))):
            pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", declaration)
            plain = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", declaration)
            if not pointer and "," in declaration:
                sys.exit(f"struct {name}: one member a declaration, not '{declaration}'")
            members.append((pointer or plain).group(1))
        structs.append((name, members))
    return structs


def probe(header, structs):
    """Offsets and sizes as the system's C compiler sees them."""
    lines = [f'#include "{header}"', "#include <stdio.h>", "int main(void) {"]
    for name, members in structs:
        lines.append(f'  printf("{name} - %zu 0\\n", sizeof({name}));')
        for member in members:
            lines.append(
                f'  printf("{name} {member} %zu %zu\\n", offsetof({name}, {member}), '
                f"sizeof((({name} *)0)->{member}));")
    lines += ["  return 0;", "}"]
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "probe.c"), os.path.join(folder, "probe")
        with open(source, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-I", INCLUDE, source, "-o", program],
                       check=True)
        output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    sizes, members = {}, {}
    for line in output.splitlines():
        name, member, first, second = line.split()
        if member == "-":
            sizes[name] = int(first)
        else:
            members.setdefault(name, []).append(
                {"name": member, "offset": int(first), "size": int(second)})
    return sizes, members


def abi_minor():
    with open(os.path.join(INCLUDE, "bench/plugin_v1.h"), encoding="utf-8") as file:
        return int(re.search(r"#define BENCH_ABI_MINOR (\d+)", file.read()).group(1))


def merge(old, restart):
    """layout.json with what the headers have beyond it."""
    since = f"1.{abi_minor()}"
    known = {} if restart else {s["name"]: s for h in old["headers"] for s in h["structs"]}
    result = {"schema": 1, "headers": []}
    for header, asserts in HEADERS.items():
        with open(os.path.join(INCLUDE, header), encoding="utf-8") as file:
            structs = parse_structs(file.read())
        sizes, members = probe(header, structs)
        listed = []
        for name, _ in structs:
            before = known.get(name)
            old_members = {m["name"]: m for m in before["members"]} if before else {}
            entry = {"name": name, "since": before["since"] if before else since,
                     "frozen": name in FROZEN, "size": sizes[name],
                     "first_size": before["first_size"] if before else sizes[name], "members": []}
            for member in members[name]:
                previous = old_members.pop(member["name"], None)
                if previous and (previous["offset"], previous["size"]) != (member["offset"],
                                                                            member["size"]):
                    sys.exit(f"{name}.{member['name']} was at {previous['offset']} with "
                             f"{previous['size']} bytes, the header has it at {member['offset']} with "
                             f"{member['size']}: append members, never move them")
                entry["members"].append({**member, "since": previous["since"] if previous else since})
            if old_members:
                sys.exit(f"{name} lost {', '.join(old_members)}: members are never removed")
            if before and entry["frozen"] and before["size"] != entry["size"]:
                sys.exit(f"{name} is frozen and grew from {before['size']} to {entry['size']} bytes")
            listed.append(entry)
        result["headers"].append({"header": header, "asserts": asserts, "structs": listed})
    return result


def dump(layout):
    """One member a line, so that a change of the ABI reads as one in a diff."""
    text = json.dumps(layout, indent=1)
    return re.sub(r"\{\s+(\"name\": [^{}\[\]]*?\"since\": \"[\d.]+\")\s+\}",
                  lambda m: "{" + re.sub(r"\s+", " ", m.group(1)) + "}", text) + "\n"


def size_constant(name, since):
    short = re.sub(r"^bench_|_v1$", "", name).upper()
    return f"BENCH_SIZE_{since.replace('.', '_')}_{short}"


def render(entry):
    guard = re.sub(r"\W", "_", entry["asserts"]).upper()
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0",
        " * Made by sdk/abi/generate_asserts.py from sdk/abi/layout.json. Do not edit.",
        " *",
        f" * The layout of {entry['header']}, asserted, and the size of each struct in the version that",
        " * brought it: a struct_size below that is BENCH_ERROR_INVALID_ARGUMENT. */",
        f"#ifndef {guard}", f"#define {guard}", "", f"#include <{entry['header']}>", "",
    ]
    for struct in entry["structs"]:
        lines.append(f"#define {size_constant(struct['name'], struct['since'])} {struct['first_size']}u")
    lines += ["", "#ifdef __cplusplus", "#define BENCH_LAYOUT_ASSERT static_assert", "#else",
              "#define BENCH_LAYOUT_ASSERT _Static_assert", "#endif"]
    for struct in entry["structs"]:
        name = struct["name"]
        lines += ["", f'BENCH_LAYOUT_ASSERT(sizeof({name}) == {struct["size"]}, "{name}");']
        for member in struct["members"]:
            what = f"{name}.{member['name']}"
            lines.append(f'BENCH_LAYOUT_ASSERT(offsetof({name}, {member["name"]}) == '
                         f'{member["offset"]}, "{what}");')
            lines.append(f'BENCH_LAYOUT_ASSERT(sizeof((({name} *)0)->{member["name"]}) == '
                         f'{member["size"]}, "{what}");')
    lines += ["", "#undef BENCH_LAYOUT_ASSERT", "#endif", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true")
    mode.add_argument("--probe", action="store_true")
    parser.add_argument("--restart", action="store_true")
    arguments = parser.parse_args()

    old = {"headers": []}
    if os.path.exists(LAYOUT):
        with open(LAYOUT, encoding="utf-8") as file:
            old = json.load(file)
    if arguments.probe:
        old = merge(old, arguments.restart)
        with open(LAYOUT, "w", encoding="utf-8") as file:
            file.write(dump(old))
    stale = []
    for entry in old["headers"]:
        path = os.path.join(INCLUDE, entry["asserts"])
        text = render(entry)
        if arguments.check:
            have = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
            if have != text:
                stale.append(entry["asserts"])
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    if stale:
        sys.exit(f"{', '.join(stale)}: not what layout.json gives; run sdk/abi/generate_asserts.py")


if __name__ == "__main__":
    main()
