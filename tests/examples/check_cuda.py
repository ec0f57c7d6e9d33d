#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles an example's CUDA kernel and its reference with NVRTC, which needs no device.

Usage: check_cuda.py NVRTC_LIBRARY PROBLEM_FILE VALID_CONFIGURATIONS [--all]

Without --all: the default, the first, the last and a few between. A kernel that does not compile in a corner
of its space would else be found on a machine with a GPU, by a user.
"""
import ctypes
import itertools
import json
import os
import sys

ARCHITECTURE = "sm_90"
SAMPLED = 8
SKIPPED = 77  # what CTest is told to show as skipped
COMPILATION_FAILED = 6  # NVRTC_ERROR_COMPILATION


class Nvrtc:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def call(self, name, *arguments, allowed=()):
        code = getattr(self.library, name)(*arguments)
        if code and code not in allowed:
            sys.exit(f"FAILED: {name} returned {code}")
        return code

    def bytes_of(self, name, program):
        size = ctypes.c_size_t()
        self.call(f"nvrtcGet{name}Size", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self.call(f"nvrtcGet{name}", program, buffer)
        return buffer.raw

    def compile(self, path, definitions):
        """The cubin; the log instead, as an error, if there is none."""
        with open(path, "rb") as file:
            source = file.read()
        options = [f"--gpu-architecture={ARCHITECTURE}", "-std=c++17",
                   *(f"-D{name}={value}" for name, value in definitions.items())]
        array = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        program = ctypes.c_void_p()
        self.call("nvrtcCreateProgram", ctypes.byref(program), source, os.path.basename(path).encode(), 0, None, None)
        code = self.call("nvrtcCompileProgram", program, len(options), array, allowed=(COMPILATION_FAILED,))
        if code:
            log = self.bytes_of("ProgramLog", program).decode(errors="replace")
            sys.exit(f"FAILED: {os.path.basename(path)} with {definitions}:\n{log}")
        cubin = self.bytes_of("CUBIN", program)
        self.call("nvrtcDestroyProgram", ctypes.byref(program))
        return cubin


def configurations(space):
    """The expressions are ours and plain arithmetic, so Python's own evaluation will do."""
    names = [parameter["Name"] for parameter in space["TuningParameters"]]
    values = [eval(parameter["Values"]) for parameter in space["TuningParameters"]]
    for row in itertools.product(*values):
        configuration = dict(zip(names, row))
        if all(eval(condition["Expression"], dict(configuration)) for condition in space["Conditions"]):
            yield configuration


def main():
    library, path, expected = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if not os.path.exists(library):
        print(f"SKIPPED: no NVRTC: {library}")
        sys.exit(SKIPPED)
    with open(path, encoding="utf-8") as file:
        problem = json.load(file)
    folder = os.path.dirname(path)
    space, kernel = problem["ConfigurationSpace"], problem["KernelSpecification"]
    reference = problem["x-bench"]["ReferenceKernel"]
    valid = list(configurations(space))
    if len(valid) != expected:
        sys.exit(f"FAILED: {len(valid)} valid configurations, expected {expected}")
    default = {parameter["Name"]: parameter["Default"] for parameter in space["TuningParameters"]}
    if default not in valid:
        sys.exit(f"FAILED: the default {default} is not valid")

    nvrtc = Nvrtc(library)
    step = 1 if "--all" in sys.argv[4:] else max(1, (len(valid) - 1) // (SAMPLED - 1))
    chosen = [default, *valid[::step], valid[-1]]
    for configuration in chosen:
        cubin = nvrtc.compile(os.path.join(folder, kernel["KernelFile"]), configuration)
        if b".text." + kernel["KernelName"].encode() not in cubin:
            sys.exit(f"FAILED: {configuration} compiles to an image without the kernel {kernel['KernelName']}")
        for argument in kernel["Arguments"]:
            # Filled by its name, so that the image must have the symbol.
            if argument.get("MemType") == "Constant" and b"\0" + argument["Name"].encode() + b"\0" not in cubin:
                sys.exit(f"FAILED: {configuration} has no constant memory {argument['Name']}")
    if b".text." + reference["KernelName"].encode() not in nvrtc.compile(
            os.path.join(folder, reference["KernelFile"]), default):
        sys.exit(f"FAILED: no kernel {reference['KernelName']} in {reference['KernelFile']}")
    print(f"{os.path.basename(path)}: {len(chosen)} of {len(valid)} configurations and the reference compile")


main()
