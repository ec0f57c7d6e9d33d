#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rust bindings of plugin_v1.h: which structs and members there are, and where each one lies, comes from
layout.json and is asserted in the bindings; the members' types are the header's.

  generate_rust.py            writes ../template/rust/src/bench_plugin_v1.rs
  generate_rust.py --check    fails if that file is not what would be written
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
HEADER = os.path.join(HERE, "..", "include", "bench", "plugin_v1.h")
TARGET = os.path.join(HERE, "..", "template", "rust", "src", "bench_plugin_v1.rs")
SCALARS = {"int32_t": "i32", "uint32_t": "u32", "int64_t": "i64", "uint64_t": "u64", "uint8_t": "u8",
           "double": "f64", "char": "c_char", "void": "c_void", "bench_status": "bench_status"}
# Rust's own words among the members' names.
KEYWORDS = {"where", "type", "self", "move", "ref", "use"}


def strip_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def identifier(name):
    return f"r#{name}" if name in KEYWORDS else name


def rust_type(text):
    """A C type without its name, e.g. `const char *const *`."""
    parts = text.split("*")
    # The constness of what a star points to stands left of the star.
    base = re.sub(r"\b(const|struct)\b", " ", parts[0]).split()
    if len(base) != 1:
        sys.exit(f"not a type that the ABI uses: '{text}'")
    result = SCALARS.get(base[0], base[0])
    for left in parts[:-1]:
        result = ("*const " if "const" in left.split() else "*mut ") + result
    return result


def split_declaration(text):
    """`const char *name` -> (`const char *`, `name`); a parameter or member."""
    match = re.fullmatch(r"(.*?)(\w+)\s*", text.strip(), flags=re.S)
    return match.group(1), match.group(2)


def rust_function(returns, parameters):
    listed = []
    for parameter in filter(None, (part.strip() for part in parameters.split(","))):
        if parameter == "void":
            continue
        kind, name = split_declaration(parameter)
        listed.append(f"{identifier(name)}: {rust_type(kind)}")
    result = "" if returns.strip() == "void" else f" -> {rust_type(returns)}"
    return f"Option<unsafe extern \"C\" fn({', '.join(listed)}){result}>"


def member_types(body):
    types = {}
    for declaration in filter(None, (part.strip() for part in body.split(";"))):
        declaration = re.sub(r"\s+", " ", declaration)
        function = re.fullmatch(r"(.*?)\(\s*\*\s*(\w+)\s*\)\s*\((.*)\)", declaration)
        if function:
            types[function.group(2)] = rust_function(function.group(1), function.group(3))
            continue
        array = re.fullmatch(r"(.*?)(\w+)\s*\[(\d+)\]", declaration)
        if array:
            types[array.group(2)] = f"[{rust_type(array.group(1))}; {array.group(3)}]"
            continue
        kind, name = split_declaration(declaration)
        types[name] = rust_type(kind)
    return types


def constants(text):
    for name, value in re.findall(r"^#define (BENCH_\w+) \(?(-?\d+u?)\)?\s*$", text, flags=re.M):
        number = value.rstrip("u")
        kind = "u32" if value.endswith("u") or not name.startswith(("BENCH_OK", "BENCH_ERROR", "BENCH_DEVICE_")) \
            else "i32"
        yield f"pub const {name}: {kind} = {number};"


def render():
    with open(HEADER, encoding="utf-8") as file:
        text = strip_comments(file.read())
    with open(os.path.join(HERE, "layout.json"), encoding="utf-8") as file:
        layout = next(header for header in json.load(file)["headers"]
                      if header["header"] == "bench/plugin_v1.h")
    bodies = dict(re.findall(r"typedef\s+struct\s+(\w+)\s*\{(.*?)\}\s*\w+\s*;", text, flags=re.S))
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             "// Made by sdk/abi/generate_rust.py from sdk/abi/layout.json and plugin_v1.h. Do not edit.",
             "#![allow(non_camel_case_types, dead_code)]", "use std::ffi::{c_char, c_void};", "",
             "pub type bench_status = i32;"]
    lines += constants(text)
    for name in re.findall(r"typedef\s+struct\s+(\w+)\s+\w+\s*;", text):
        lines += ["", "#[repr(C)]", f"pub struct {name} {{", "    _private: [u8; 0],", "}"]
    for returns, name, parameters in re.findall(r"typedef\s+([^;{}]*?)\(\s*\*\s*(\w+)\s*\)\s*\(([^;]*?)\)\s*;", text,
                                                flags=re.S):
        clean = [re.sub(r"\s+", " ", part) for part in (returns, parameters)]
        lines += ["", f"pub type {name} = {rust_function(*clean)};"]
    for struct in layout["structs"]:
        name, types = struct["name"], member_types(bodies[struct["name"]])
        if [member["name"] for member in struct["members"]] != list(types):
            sys.exit(f"{name}: layout.json and the header have other members; run generate_asserts.py --probe")
        lines += ["", "#[repr(C)]", "#[derive(Clone, Copy)]", f"pub struct {name} {{"]
        lines += [f"    pub {identifier(member)}: {kind}," for member, kind in types.items()]
        lines += ["}", f"const _: () = assert!(std::mem::size_of::<{name}>() == {struct['size']});"]
        for member in struct["members"]:
            lines.append(f"const _: () = assert!(std::mem::offset_of!({name}, {identifier(member['name'])}) "
                         f"== {member['offset']});")
    return "\n".join(lines) + "\n"


def main():
    text = render()
    if sys.argv[1:] == ["--check"]:
        have = open(TARGET, encoding="utf-8").read() if os.path.exists(TARGET) else ""
        if have != text:
            sys.exit(f"{os.path.normpath(TARGET)} is not what layout.json gives; run sdk/abi/generate_rust.py")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        os.makedirs(os.path.dirname(TARGET), exist_ok=True)
        with open(TARGET, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
