# SPDX-License-Identifier: Apache-2.0
"""Plays the vendor and the embedder: everything here comes from an installation in a folder of its own.

  kit.py --build BUILD --prefix PREFIX --work WORK STEP

BUILD is used by the step `install` alone. Exit status 77: skipped, the reason is printed.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

# Which Debian package brings a library that ours may need.
PACKAGES = {"libc.so.6": "libc6", "libm.so.6": "libc6", "ld-linux-x86-64.so.2": "libc6", "libstdc++.so.6": "libstdc++6",
            "libgcc_s.so.1": "libgcc-s1", "libz.so.1": "zlib1g"}
HERE = os.path.dirname(os.path.abspath(__file__))


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def run(command, environment=None, expect=0, cwd=None):
    """Output of `command`; its whole text is in the failure if its status is another."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=cwd)
    if expect is not None and done.returncode != expect:
        raise Failed(f"{' '.join(command)}\nstatus {done.returncode}, expected {expect}\n"
                     f"{done.stdout}\n{done.stderr}")
    return done.stdout


class Kit:
    def __init__(self, arguments):
        self.build, self.prefix, self.work = arguments.build, arguments.prefix, arguments.work
        os.makedirs(self.work, exist_ok=True)
        # Nothing of the user's: no plugin path, store or cache from outside.
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("BENCH_") and name != "DESTDIR"}
        self.environment["XDG_CACHE_HOME"] = os.path.join(self.work, "cache")
        self.environment["BENCH_STORE"] = os.path.join(self.work, "store.sqlite")

    def fresh(self, name):
        folder = os.path.join(self.work, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        return folder

    def one(self, name):
        """The only file of that name in the installation: the libdir differs between systems."""
        found = [os.path.join(folder, name) for folder, _, files in os.walk(self.prefix) if name in files]
        if len(found) != 1:
            raise Failed(f"{name} is installed {len(found)} times below {self.prefix}: {found}")
        return found[0]

    def bench(self):
        return self.one("bench")

    def project(self, source, *options, prefix=None):
        folder = self.fresh(os.path.basename(source) + ".build")
        run(["cmake", "-S", source, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
             f"-DCMAKE_PREFIX_PATH={prefix or self.prefix}", *options], self.environment)
        run(["cmake", "--build", folder], self.environment)
        return folder

    def plugin_source(self):
        """The C template, filled for a device that nobody knows."""
        with open(self.one("plugin.c.in"), encoding="utf-8") as file:
            text = file.read()
        path = os.path.join(self.fresh("source"), "plugin.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("@ID@", "org.example.outside").replace("@NAME@", "outside"))
        return path

    def listed(self, path):
        """What `bench plugins` says about the plugin file."""
        text = run([self.bench(), "plugins", "--json", "--plugin-path", path], self.environment)
        found = [plugin for plugin in json.loads(text) if plugin["path"] == path]
        if len(found) != 1:
            raise Failed(f"`bench plugins` lists {path} {len(found)} times:\n{text}")
        return found[0]

    def install(self):
        shutil.rmtree(self.prefix, ignore_errors=True)
        for component in ("core", "sdk"):
            run(["cmake", "--install", self.build, "--prefix", self.prefix, "--component", component],
                self.environment)

    def plugin(self):
        folder = self.project(os.path.join(HERE, "outside_plugin"), f"-DPLUGIN_SOURCE={self.plugin_source()}")
        file = os.path.join(folder, "libbench_outside.so")
        self.check_file(file)
        # Installed beside the core it is found without any variable.
        run(["cmake", "--install", folder, "--prefix", self.prefix], self.environment)
        installed = os.path.join(os.path.dirname(self.one("libbench.so.0")), "bench", "plugins-1",
                                 "libbench_outside.so")
        text = run([self.bench(), "devices", "--json"], self.environment)
        os.remove(installed)
        if "outside:0" not in text and '"outside"' not in text:
            raise Failed(f"the installed plugin's device is not listed:\n{text}")

    def check_file(self, file):
        """One exported symbol, no library but libc, small."""
        symbols = re.findall(r" [A-Z] (\w+)", run(["nm", "-D", "--defined-only", file]))
        if [symbol for symbol in symbols if not symbol.startswith("BENCH")] != ["bench_plugin_v1"]:
            raise Failed(f"{file} exports {symbols}, expected bench_plugin_v1 alone")
        needed = re.findall(r"NEEDED.*\[(.*)\]", run(["readelf", "-dW", file]))
        if needed != ["libc.so.6"]:
            raise Failed(f"{file} needs {needed}, expected libc.so.6 alone")
        limit_bytes = 20 * 1024
        if os.path.getsize(file) > limit_bytes:
            raise Failed(f"{file} has {os.path.getsize(file)} bytes, expected {limit_bytes} at most")
        state = self.listed(file)
        if state["classes"] != ["outside"] or state["state"] in ("refused", "failed"):
            raise Failed(f"the plugin is not usable: {state}")

    def sdk_only(self):
        prefix = self.fresh("sdk_only")
        run(["cmake", "--install", self.build, "--prefix", prefix, "--component", "sdk"], self.environment)
        self.project(os.path.join(HERE, "outside_plugin"), f"-DPLUGIN_SOURCE={self.plugin_source()}",
                     "-DEXPECT_SDK_ONLY=ON", prefix=prefix)

    def program(self):
        plugin = os.path.join(self.project(os.path.join(HERE, "outside_plugin"),
                                           f"-DPLUGIN_SOURCE={self.plugin_source()}"), "libbench_outside.so")
        folder = self.project(os.path.join(HERE, "outside_program"))
        text = run([os.path.join(folder, "outside_program"), plugin, "outside:0"], self.environment)
        if not re.fullmatch(r"outside device: [1-9]\d* launches\n", text):
            raise Failed(f"the embedding program printed {text!r}")

    def pkgconfig(self):
        if not shutil.which("pkg-config"):
            raise Skipped("there is no pkg-config")
        self.environment["PKG_CONFIG_PATH"] = os.path.dirname(self.one("bench-plugin.pc"))

        def ask(*arguments):
            return run(["pkg-config", *arguments], self.environment).strip()

        abi, folder = ask("--variable=abi", "bench-plugin"), ask("--variable=plugindir", "bench-plugin")
        script = ask("--variable=versionscript", "bench-plugin")
        if abi != "1.0":
            raise Failed(f"bench-plugin.pc says abi={abi}, expected 1.0")
        expected = os.path.join(os.path.dirname(self.one("libbench.so.0")), "bench", "plugins-1")
        if os.path.normpath(folder) != os.path.normpath(expected):
            raise Failed(f"bench-plugin.pc says plugindir={folder}, expected {expected}")
        compiler = shutil.which("cc") or "gcc"
        work = self.fresh("pkgconfig")
        plugin = os.path.join(work, "libbench_outside.so")
        # Without CMake: what a vendor's own build system would do.
        run([compiler, "-std=c11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden",
             *ask("--cflags", "bench-plugin").split(), self.plugin_source(), "-o", plugin,
             f"-Wl,--version-script={script}", "-Wl,-z,defs"], self.environment)
        self.check_file(plugin)
        program = os.path.join(work, "program")
        run([compiler, "-std=c11", os.path.join(HERE, "outside_program", "main.c"), "-o", program,
             *ask("--cflags", "--libs", "bench").split()], self.environment)
        self.environment["LD_LIBRARY_PATH"] = os.path.dirname(self.one("libbench.so.0"))
        run([program, plugin, "outside:0"], self.environment)

    def new_plugin(self, language):
        """`bench new-plugin`: what it writes builds with the commands it names and is listed."""
        if language == "rust" and not (shutil.which("rustc") and shutil.which("cargo")):
            raise Skipped("there is no rustc or no cargo")
        if language == "rust":
            version = re.search(r"rustc 1\.(\d+)", run(["rustc", "--version"]))
            oldest = 77  # has std::mem::offset_of!, with which the bindings check themselves
            if version and int(version.group(1)) < oldest:
                raise Skipped(f"rustc 1.{version.group(1)} is older than 1.{oldest}")
        folder = os.path.join(self.fresh(f"new_{language}"), "project")
        made = json.loads(run([self.bench(), "new-plugin", "outside", "--lang", language, "--output", folder,
                               "--id", "org.example.outside", "--json"], self.environment))
        environment = {**self.environment, "CMAKE_PREFIX_PATH": self.prefix, "CARGO_NET_OFFLINE": "true"}
        run(["sh", "-ec", made["build"]], environment, cwd=folder)
        plugin = os.path.join(folder, made["plugin"])
        if language == "rust":
            run([self.one("bench-plugin-check"), plugin], environment)
        else:
            tested = run(["ctest", "--test-dir", os.path.join(folder, "build"), "--no-tests=error"], environment)
            if "bench_outside_check" not in tested:
                raise Failed(f"the project has no test of its plugin:\n{tested}")
        state = self.listed(plugin)
        if state["classes"] != ["outside"]:
            raise Failed(f"the new plugin is not usable: {state}")
        story = json.loads(run([self.bench(), "plugins", "--json", "--why", "--plugin-path", plugin],
                               self.environment))["story"]
        lines = [line for line in story if line["path"] == plugin and line["code"] in
                 ("BENCH-L030", "BENCH-L033", "BENCH-L034", "BENCH-L044")]
        if lines:
            raise Failed(f"the loader complains of the new plugin: {lines}")
        program = os.path.join(self.project(os.path.join(HERE, "outside_program")), "outside_program")
        text = run([program, plugin, "outside:0"], self.environment)
        if not text.startswith("outside device: "):
            raise Failed(f"the embedding program printed {text!r}")
        # A second time it must not write over what was made of it.
        run([self.bench(), "new-plugin", "outside", "--output", folder], self.environment, expect=2)
        run([self.bench(), "new-plugin", "Not-A-Class", "--output", folder + "2"], self.environment, expect=2)
        if os.path.exists(folder + "2"):
            raise Failed(f"{folder}2 was made for a name that was refused")

    def check_dependencies(self, archive, folder):
        """Every library that a file of the package needs comes with a package that it depends on."""
        run(["dpkg-deb", "--extract", archive, folder])
        depends = run(["dpkg-deb", "--field", archive, "Depends"])
        for path in (os.path.join(base, name) for base, _, names in os.walk(folder) for name in names):
            with open(path, "rb") as file:
                if os.path.islink(path) or file.read(4) != b"\x7fELF":
                    continue
            for library in re.findall(r"NEEDED.*\[(.*)\]", run(["readelf", "-dW", path])):
                if not library.startswith("libbench") and (library not in PACKAGES or
                                                           PACKAGES[library] not in depends):
                    raise Failed(f"{path} needs {library}, and {os.path.basename(archive)} depends on {depends}")

    def packages(self):
        if not shutil.which("cpack") or not shutil.which("dpkg-deb"):
            raise Skipped("there is no cpack or no dpkg-deb")
        folder = self.fresh("packages")
        run(["cpack", "--config", os.path.join(self.build, "CPackConfig.cmake"), "-G", "DEB", "-B", folder],
            self.environment, cwd=folder)
        contents = {}
        for name in sorted(os.listdir(folder)):
            if name.endswith(".deb"):
                package = run(["dpkg-deb", "--field", os.path.join(folder, name), "Package"]).strip()
                contents[package] = run(["dpkg-deb", "--contents", os.path.join(folder, name)])
                self.check_dependencies(os.path.join(folder, name), os.path.join(folder, package))
        if sorted(contents) != ["bench", "bench-dev", "bench-plugins"]:
            raise Failed(f"cpack made {sorted(contents)}, expected bench, bench-dev and bench-plugins")
        for package, files in (("bench", ["/bin/bench", "/libbench.so.0", "/bench-probe", "/bench-worker"]),
                               ("bench-dev", ["/plugin_v1.h", "/bench.h", "/benchConfig.cmake",
                                              "/bench-plugin.pc", "/bench.pc", "/plugin.map"])):
            for file in files:
                if not re.search(rf"{re.escape(file)}( ->.*)?$", contents[package], flags=re.M):
                    raise Failed(f"{package} has no {file}:\n{contents[package]}")
        for name in os.listdir(folder):
            if name.endswith(".deb"):
                run(["dpkg-deb", "--extract", os.path.join(folder, name), os.path.join(folder, "root")])
        self.prefix = os.path.join(folder, "root", "usr")
        self.tune_example()

    def tune_example(self):
        """The vendor's way of docs/vendors.md, with nothing but what the packages brought."""
        source = os.path.join(os.path.dirname(os.path.dirname(self.one("add.json"))), "abacus")
        project = self.project(source)
        run(["ctest", "--test-dir", project, "--no-tests=error"], self.environment)
        plugin = os.path.join(project, "libbench_abacus.so")
        told = json.loads(run([self.bench(), "tune", os.path.join(source, "add.json"), "--plugin-path", plugin, "--json"],
                              self.environment))
        told = told["x-bench"]
        if told["device"] != "abacus:0" or told["states"]["measured"] != 5:
            raise Failed(f"the example's kernel was not tuned: {told}")
        # What is wrong with a kernel in the vendor's own language is told by the vendor's own compiler.
        broken = self.fresh("broken")
        shutil.copy(os.path.join(source, "add.json"), broken)
        with open(os.path.join(broken, "add.beads"), "w", encoding="utf-8") as file:
            file.write("subtract OUT A B\n")
        text = run([self.bench(), "tune", os.path.join(broken, "add.json"), "--plugin-path", plugin], self.environment,
                   expect=3)
        if "the source is not beads" not in text:
            raise Failed(f"what the plugin's compiler says is not shown:\n{text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--prefix", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("step", choices=[name for name in vars(Kit) if not name.startswith("_")])
    parser.add_argument("arguments", nargs="*")
    arguments = parser.parse_args()
    try:
        getattr(Kit(arguments), arguments.step)(*arguments.arguments)
    except Skipped as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    except Failed as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    main()
