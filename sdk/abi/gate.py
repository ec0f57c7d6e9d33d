#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ABI gate: are the headers still those that plugins and embedders in the field were built with?

  gate.py                      compares the headers with baseline.json and baseline.abi
  gate.py --library LIBBENCH   and what the built core library exports
  gate.py --update             at a release: takes what the headers have gained into the baseline, nothing else
  gate.py --restart            makes the baseline anew, which is only right before 1.0 is released

A witness is compiled that uses every struct, function and constant of the baseline. libabigail compares its
types with the baseline's, and static asserts compare the constants. Members appended to a struct since the
baseline are cut away first, so that whatever libabigail then still sees is a break. Exit status: 1 a break,
77 libabigail is not installed.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from generate_asserts import FROZEN, parse_structs

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
INCLUDES = ("sdk/include", "core/include")
MAPS = ("sdk/cmake/plugin.map", "core/bench.map")
# The only constant that may change, and only upwards.
MINOR = "BENCH_ABI_MINOR"


class Broken(Exception):
    """What breaks whom."""


def strip_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text.replace("\\\n", " "), flags=re.S)


def headers(root):
    """Path below its include folder -> text; the generated ones follow from layout.json."""
    found = {}
    for include in INCLUDES:
        base = os.path.join(root, include)
        for folder, _, files in os.walk(os.path.join(base, "bench")):
            for name in files:
                path = os.path.join(folder, name)
                short = os.path.relpath(path, base)
                if name.endswith(".h") and not name.endswith("_layout.h") and short != "bench/plugin.h":
                    with open(path, encoding="utf-8") as file:
                        found[short] = strip_comments(file.read())
    return dict(sorted(found.items()))


def describe(root):
    """What the baseline lists: names and, of constants, values as they are written."""
    result = {"headers": [], "structs": {}, "functions": [], "constants": {}, "maps": {}}
    for path, text in headers(root).items():
        result["headers"].append(path)
        result["structs"].update(dict(parse_structs(text)))
        result["functions"] += re.findall(r"BENCH_API\s[^;(]*?(\w+)\s*\(", text.replace("#define BENCH_API", ""))
        for name, value in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(BENCH_\w+)[ \t]+(.+?)[ \t]*$", text, flags=re.M):
            if re.fullmatch(r'[-()0-9a-fA-FxXuUlL<| ]+|"[^"]*"', value):
                result["constants"][name] = value
    for path in MAPS:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            result["maps"][path] = " ".join(file.read().split())
    return result


def witness(baseline):
    lines = [f"#include <{header}>" for header in baseline["headers"]]
    lines += [f"struct {name} *witness_{name};" for name in baseline["structs"]]
    lines += [f"__typeof__({name}) *witness_{name};" for name in baseline["functions"]]
    for name, value in baseline["constants"].items():
        if value.startswith('"'):
            lines.append(f"_Static_assert(__builtin_strcmp({name}, {value}) == 0, "
                         f"\"{name} was {value[1:-1]}\");")
        else:
            relation = ">=" if name == MINOR else "=="
            lines.append(f'_Static_assert(({name}) {relation} ({value}), "{name} was {value}");')
    return "\n".join(lines) + "\n"


def without(text, struct, names):
    """The header's text without some members of a struct."""
    found = re.search(rf"(typedef\s+struct\s+{struct}\s*\{{)(.*?)(\}}\s*{struct}\s*;)", text, flags=re.S)
    kept = [part for part in found.group(2).split(";") if part.strip() and
            not any(re.search(rf"\b{name}\s*(\)\s*\(|(\[[^\]]*\]\s*)*$)", part.strip()) for name in names)]
    return text[:found.start(2)] + ";".join(kept) + ";\n" + text[found.end(2):]


def check_appended(root, baseline, now):
    """What a struct gained: at its end, not in a frozen one, and of a later minor. Struct -> members."""
    with open(os.path.join(root, "sdk/abi/layout.json"), encoding="utf-8") as file:
        layout = {struct["name"]: {member["name"]: member["since"] for member in struct["members"]}
                  for header in json.load(file)["headers"] for struct in header["structs"]}
    appended = {}
    for name, old in baseline["structs"].items():
        new = now["structs"].get(name, [])
        gained = [member for member in new if member not in old]
        if not gained:
            continue
        if name in FROZEN:
            raise Broken(f"{name} is frozen and gained {', '.join(gained)}")
        if new != old + gained:
            raise Broken(f"{name}: {', '.join(gained)} must come after {old[-1]}")
        for member in gained if name in layout else []:
            since = layout[name].get(member)
            if since is None or int(since.split(".")[1]) <= int(baseline["constants"][MINOR]):
                raise Broken(f"{name}.{member} needs an entry in layout.json with a `since` above "
                             f"1.{baseline['constants'][MINOR]}: raise {MINOR}, then generate_asserts.py --probe")
        appended[name] = gained
    return appended


def compile_witness(root, baseline, appended, folder):
    for path, text in headers(root).items():
        for struct, members in appended.items():
            if re.search(rf"typedef\s+struct\s+{struct}\s*\{{", text):
                text = without(text, struct, members)
        target = os.path.join(folder, "include", path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)
    source, library = os.path.join(folder, "witness.c"), os.path.join(folder, "libwitness.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(witness(baseline))
    done = subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-g", "-O0", "-fPIC", "-shared", "-w",
                           "-I", os.path.join(folder, "include"), source, "-o", library],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        wrong = [line for line in done.stderr.splitlines() if "error:" in line] or [done.stderr]
        raise Broken("the witness does not compile any more:\n" + "\n".join(wrong[:5]))
    return library


def check_asserts(root):
    """The asserts generated from layout.json still hold."""
    for header in sorted(os.listdir(os.path.join(root, "sdk/include/bench/ext"))):
        if header.endswith("_layout.h"):
            check_assert(root, f"bench/ext/{header}")
    check_assert(root, "bench/plugin_v1_layout.h")


def check_assert(root, header):
    done = subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-fsyntax-only", "-I",
                           os.path.join(root, "sdk/include"), "-include", header, "-x", "c", os.devnull],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise Broken(f"{header}:\n{done.stderr[:600]}")


def compare(root, baseline, abi):
    """Raises Broken, or returns what the headers have gained."""
    now = describe(root)
    for path, text in baseline["maps"].items():
        if now["maps"][path] != text:
            raise Broken(f"{path} was '{text}', it is '{now['maps'][path]}': exported symbols or their version change")
    appended = check_appended(root, baseline, now)
    with tempfile.TemporaryDirectory() as folder:
        library = compile_witness(root, baseline, appended, folder)
        # --harmless: a renamed member or an altered qualifier is harmless to a linked program, but not
        # to a vendor's source, nor to what the member means.
        done = subprocess.run(["abidiff", "--harmless", "--no-show-locs", abi, library], capture_output=True,
                              text=True, check=False)
        if done.returncode or done.stdout.strip():
            raise Broken(f"libabigail:\n{done.stdout}{done.stderr}")
    return {"structs": sorted(set(now["structs"]) - set(baseline["structs"])), "members": appended,
            "functions": sorted(set(now["functions"]) - set(baseline["functions"])),
            "constants": sorted(set(now["constants"]) - set(baseline["constants"]))}


def check_exports(library, baseline):
    exported = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                              check=True).stdout
    version = re.match(r"\w+\.\w+", baseline["maps"]["core/bench.map"]).group()
    symbols = dict(re.findall(r" T (\w+)@@(\S+)", exported))
    for name in baseline["functions"]:
        if symbols.get(name) != version:
            raise Broken(f"{library} exports {name} as {symbols.get(name)}, expected {name}@@{version}")
    # The version's own node is listed as an absolute symbol.
    strangers = [name for name in re.findall(r" [B-Z] (\w+)", exported) if
                 not name.startswith("bench_")]
    if strangers:
        raise Broken(f"{library} exports {', '.join(strangers)}, expected bench_* alone")


def write_baseline(root):
    baseline = describe(root)
    with tempfile.TemporaryDirectory() as folder:
        library = compile_witness(root, baseline, {}, folder)
        subprocess.run(["abidw", "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path",
                        "--no-parameter-names", "--no-elf-needed", "--out-file", os.path.join(HERE, "baseline.abi"),
                        library], check=True)
    with open(os.path.join(HERE, "baseline.json"), "w", encoding="utf-8") as file:
        file.write(json.dumps(baseline, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--restart", action="store_true")
    arguments = parser.parse_args()
    if not shutil.which("abidw") or not shutil.which("abidiff"):
        print("skipped: there is no abidw or abidiff (Debian: abigail-tools)")
        sys.exit(77)
    if arguments.restart:
        write_baseline(ROOT)
        return
    with open(os.path.join(HERE, "baseline.json"), encoding="utf-8") as file:
        baseline = json.load(file)
    try:
        gained = compare(ROOT, baseline, os.path.join(HERE, "baseline.abi"))
        check_asserts(ROOT)
        if arguments.library:
            check_exports(arguments.library, baseline)
    except Broken as reason:
        sys.exit(f"the ABI is broken: {reason}")
    if arguments.update:
        write_baseline(ROOT)
    elif any(gained.values()):
        # Until it is released it may still change: the baseline is what others were built with.
        print(f"not guarded before the next release (--update): {json.dumps(gained)}")


if __name__ == "__main__":
    main()
