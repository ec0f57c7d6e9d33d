# SPDX-License-Identifier: Apache-2.0
"""Breaks the ABI in 20 seeded ways, each in a copy of the headers, and demands that the gate sees each.

  mutations.py [--seed N]

The asserts made from layout.json are not counted: who breaks the ABI may have made them anew as well. Then
members are appended by the rules, which must pass. Exit status 77: libabigail is not installed.
"""
import argparse
import json
import os
import random
import re
import shutil
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
ABI = os.path.join(ROOT, "sdk", "abi")
sys.path.insert(0, ABI)
import gate  # noqa: E402

FIXED = {"uint32_t": 4, "int32_t": 4, "bench_status": 4, "uint64_t": 8, "int64_t": 8, "double": 8}
WIDER = {"uint32_t": "uint64_t", "int32_t": "int64_t"}
NARROWER = {"uint64_t": "uint32_t", "int64_t": "int32_t", "double": "float"}
OTHER_SIGN = {"uint32_t": "int32_t", "int32_t": "uint32_t", "uint64_t": "int64_t", "int64_t": "uint64_t"}


class Struct:
    def __init__(self, path, text, match):
        self.path, self.text, self.span, self.name = path, text, match.span(2), match.group(1)
        self.members = [part.strip() for part in match.group(2).split(";") if part.strip()]

    def written(self, members):
        return self.text[:self.span[0]] + "".join(f"\n  {m};" for m in members) + "\n" + self.text[self.span[1]:]


def structs_of(texts):
    for path, text in texts.items():
        for match in re.finditer(r"typedef\s+struct\s+(\w+)\s*\{(.*?)\}\s*\1\s*;", text, flags=re.S):
            yield Struct(path, text, match)


def plain(member):
    """Type and name of a member that is one number, else None."""
    found = re.fullmatch(r"(\w+)\s+(\w+)", member)
    return found.groups() if found and found.group(1) in FIXED else None


# Each takes a struct's members and returns every list that they could be broken into.
def retyped(table):
    def mutate(members):
        return [members[:i] + [f"{table[plain(m)[0]]} {plain(m)[1]}"] + members[i + 1:]
                for i, m in enumerate(members) if plain(m) and plain(m)[0] in table]
    return mutate


def reordered(members):
    return [members[:i] + [members[i + 1], members[i]] + members[i + 2:] for i in range(len(members) - 1)
            if plain(members[i]) and plain(members[i + 1])
            and FIXED[plain(members[i])[0]] != FIXED[plain(members[i + 1])[0]]]


def swapped(members):
    """Offsets and sizes stay, the meaning does not."""
    return [members[:i] + [members[j]] + members[i + 1:j] + [members[i]] + members[j + 1:]
            for i in range(len(members)) for j in range(i + 1, len(members))
            if plain(members[i]) and plain(members[j]) and plain(members[i])[0] == plain(members[j])[0]]


def renamed(members):
    return [members[:i] + [f"{plain(m)[0]} {plain(m)[1]}_renamed"] + members[i + 1:]
            for i, m in enumerate(members) if plain(m)]


def dropped(members):
    return [members[:i] + members[i + 1:] for i in range(1, len(members))]


def inserted(members):
    return [members[:i] + ["uint64_t inserted"] + members[i:] for i in range(1, len(members))]


def tail(members):
    """An explicit reserved word at the end is split for something new."""
    return [members[:i] + ["uint16_t taken", f"uint16_t {plain(m)[1]}"] + members[i + 1:]
            for i, m in enumerate(members) if plain(m) and plain(m)[0] == "uint32_t" and "reserved" in m]


def array_length(members):
    return [members[:i] + [re.sub(r"\[(\d+)\]", lambda n: f"[{int(n.group(1)) + 8}]", m)] + members[i + 1:]
            for i, m in enumerate(members) if re.search(r"\[\d+\]", m)]


def constless(members):
    return [members[:i] + [m.replace("const ", "", 1)] + members[i + 1:]
            for i, m in enumerate(members) if "const " in m and "*" in m]


def function_argument(members):
    return [members[:i] + [m[:-1] + ", uint32_t added)"] + members[i + 1:]
            for i, m in enumerate(members) if re.search(r"\(\s*\*", m) and m.endswith(")")]


def function_result(members):
    return [members[:i] + [m.replace("bench_status", "int64_t", 1)] + members[i + 1:]
            for i, m in enumerate(members) if re.match(r"bench_status\s*\(\s*\*", m)]


def pointer_depth(members):
    return [members[:i] + [m.replace("*", "**", 1)] + members[i + 1:]
            for i, m in enumerate(members) if "*" in m and "(" not in m]


IN_STRUCT = {"widen": retyped(WIDER), "narrow": retyped(NARROWER), "other sign": retyped(OTHER_SIGN),
             "reorder": reordered, "swap members of one size": swapped, "rename a member": renamed,
             "drop a member": dropped, "insert a member": inserted, "use a reserved word": tail,
             "change an array's length": array_length, "remove const": constless,
             "add an argument": function_argument, "change a function's result": function_result,
             "add an indirection": pointer_depth}


def in_struct(mutate, texts, chance, only=None):
    options = [(struct, members) for struct in structs_of(texts) if not only or struct.path == only
               for members in mutate(struct.members)]
    struct, members = chance.choice(options)
    return {struct.path: struct.written(members)}, struct.name


def replaced(pattern, by, texts, chance):
    """One place, of all that the pattern finds."""
    places = [(path, match) for path, text in texts.items() for match in re.finditer(pattern, text, flags=re.M)]
    path, match = chance.choice(places)
    text = texts[path]
    return {path: text[:match.start()] + match.expand(by) + text[match.end():]}, match.group().strip()[:60]


def mutations(texts, chance):
    """20 of them: what it is, the changed headers, where."""
    for name, mutate in IN_STRUCT.items():
        yield (name, *in_struct(mutate, texts, chance))
    for name in ("reorder", "other sign"):
        yield (name + " in bench.h", *in_struct(IN_STRUCT[name], texts, chance, "bench/bench.h"))
    yield ("shift a constant", *replaced(r"^(#define BENCH_(?!ABI)\w+ )(\d+)(u?)$", r"\g<1>9\2\3", texts, chance))
    yield ("shift a status", *replaced(r"^(#define BENCH_ERROR_\w+ \(-)(\d+)\)", r"\g<1>9\2)", texts, chance))
    yield ("change an extension's id", *replaced(r'^(#define BENCH_EXT_\w+ "bench\.\w+)/1"', r'\1/2"', texts, chance))
    yield ("change a function of bench.h", *replaced(r"(BENCH_API bench_status bench_\w+\()", r"\1uint32_t added, ",
                                                     {"bench/bench.h": texts["bench/bench.h"]}, chance))


def copy(folder, changed):
    shutil.rmtree(folder, ignore_errors=True)
    for part in (*gate.INCLUDES, "sdk/abi"):
        shutil.copytree(os.path.join(ROOT, part), os.path.join(folder, part))
    for path in gate.MAPS:
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        shutil.copy(os.path.join(ROOT, path), os.path.join(folder, path))
    for path, text in changed.items():
        base = next(base for base in gate.INCLUDES if os.path.exists(os.path.join(folder, base, path)))
        with open(os.path.join(folder, base, path), "w", encoding="utf-8") as file:
            file.write(text)


def caught(folder, baseline):
    try:
        gate.compare(folder, baseline, os.path.join(ABI, "baseline.abi"))
    except gate.Broken as reason:
        return str(reason)
    return None


def append(texts, folder, name, follow_rules):
    """A member at the end of a struct; by the rules also a later minor and an entry in layout.json."""
    struct = next(struct for struct in structs_of(texts) if struct.name == name)
    changed = {struct.path: struct.written(struct.members + ["uint64_t appended"])}
    if not follow_rules:
        copy(folder, changed)
        return
    header = changed.get("bench/plugin_v1.h", texts["bench/plugin_v1.h"])
    changed["bench/plugin_v1.h"] = re.sub(r"(#define BENCH_ABI_MINOR) (\d+)",
                                          lambda m: f"{m.group(1)} {int(m.group(2)) + 1}", header)
    copy(folder, changed)
    done = os.system(f"'{sys.executable}' '{folder}/sdk/abi/generate_asserts.py' --probe")
    if done:
        sys.exit("generate_asserts.py --probe failed on an appended member")
    gate.check_asserts(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    seed = parser.parse_args().seed
    if not shutil.which("abidiff"):
        print("skipped: there is no abidiff (Debian: abigail-tools)")
        sys.exit(77)
    with open(os.path.join(ABI, "baseline.json"), encoding="utf-8") as file:
        baseline = json.load(file)
    # Released members alone: what was gained since may still be changed.
    texts = gate.headers(ROOT)
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        copy(folder, {})
        if (reason := caught(folder, baseline)) is not None:
            sys.exit(f"the headers as they are do not pass: {reason}")
        count = 0
        for count, (what, changed, where) in enumerate(mutations(texts, random.Random(seed)), 1):
            if all(texts[path] == text for path, text in changed.items()):
                sys.exit(f"{what} in {where} changes nothing")
            copy(folder, changed)
            reason = caught(folder, baseline)
            print(f"{count:2} {'caught' if reason else 'MISSED'}  {what}: {where}")
            if reason and "does not compile" in reason and "assertion" not in reason:
                sys.exit(f"{what} made a header that is not C, which proves nothing: {reason}")
            if not reason:
                missed.append(what)
        append(texts, folder, "bench_device_v1", False)
        if not caught(folder, baseline):
            missed.append("a member appended to a frozen struct")
        append(texts, folder, "bench_params_v1", False)
        if not caught(folder, baseline):
            missed.append("a member appended without a later minor")
        for name in ("bench_params_v1", "bench_plugin_api_v1", "bench_ext_kernel_v1", "bench_policy_v1"):
            append(texts, folder, name, True)
            if reason := caught(folder, baseline):
                sys.exit(f"a member appended to {name} by the rules is taken for a break: {reason}")
        if missed or count != 20:
            sys.exit(f"seed {seed}: {count} mutations, missed: {', '.join(missed)}")


if __name__ == "__main__":
    main()
