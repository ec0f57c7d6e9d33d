#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long the program takes to start: `bench devices`, and `bench plugins` with 200 plugin files.

    BENCH_COMMIT=... measure.py BUILD_FOLDER > benchmarks/results/startup.json

The 200 plugins are compiled from one template with ids of their own, so that none is a copy of another.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

PLUGINS = 200
REPEATS = 30
TEMPLATE = r"""
#include <bench/plugin_v1.h>
static bench_status list(bench_instance_v1 *i, bench_device_v1 *d, uint32_t n, uint32_t *count, bench_error_v1 *e) {
  (void)i; (void)e;
  if (n > 0) d[0] = (bench_device_v1){BENCH_DEVICE_EXT, 0};
  *count = 1;
  return BENCH_OK;
}
static bench_status info(bench_instance_v1 *i, bench_device_v1 d, bench_device_info_v1 *o, bench_error_v1 *e) {
  (void)i; (void)e;
  o->device = d;
  const char name[] = "NAME";
  for (unsigned c = 0; c < sizeof name; ++c) o->class_name[c] = name[c];
  return BENCH_OK;
}
static bench_status measure(bench_instance_v1 *i, bench_device_v1 d, const bench_stream_v1 *s, const bench_callable_v1 *c,
                            const bench_config_v1 *f, const bench_params_v1 *p, bench_result_v1 *r, bench_error_v1 *e) {
  (void)i; (void)d; (void)s; (void)c; (void)f; (void)p; (void)r; (void)e;
  return BENCH_ERROR_UNSUPPORTED;
}
static const bench_class_v1 one = {sizeof one, BENCH_DEVICE_EXT, "NAME", 0, 0, 0, 0};
static const bench_class_v1 *const classes[] = {&one};
static const bench_plugin_api_v1 api = {.struct_size = sizeof api, .id = "org.example.NAME", .version = "1", .classes = classes,
                                        .class_count = 1, .device_list = list, .device_info = info, .do_bench = measure};
BENCH_PLUGIN_NOTE("org.example.NAME", "1", "example", "\"NAME\"", "", 0);
const bench_plugin_api_v1 *bench_plugin_v1(const bench_host_v1 *h, bench_error_v1 *e) { (void)h; (void)e; return &api; }
"""


def timed(command, environment):
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        times.append((time.perf_counter() - start) * 1e3)
    return {"median_ms": statistics.median(times), "maximum_ms": max(times)}


def main():
    build = os.path.abspath(sys.argv[1])
    include = os.path.join(os.path.dirname(__file__), "..", "..", "sdk", "include")
    bench = os.path.join(build, "bin", "bench")
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"))
        environment.pop("BENCH_PLUGIN_PATH", None)
        devices = timed([bench, "devices"], environment)
        many = os.path.join(folder, "plugins")
        os.mkdir(many)
        for number in range(PLUGINS):
            source = os.path.join(folder, "plugin.c")
            with open(source, "w", encoding="ascii") as file:
                file.write(TEMPLATE.replace("NAME", f"dev{number}"))
            subprocess.run(["cc", "-shared", "-fPIC", "-Wl,--build-id", "-I", include, source, "-o", os.path.join(many, f"libbench_dev{number}.so")], check=True)
        environment["BENCH_PLUGIN_SYSTEM_PATH"] = many
        start = time.perf_counter()
        subprocess.run([bench, "plugins"], env=environment, check=True, stdout=subprocess.DEVNULL)
        cold = (time.perf_counter() - start) * 1e3
        plugins = timed([bench, "plugins"], environment)
        story = json.loads(subprocess.run([bench, "plugins", "--why", "--json"], env=environment, check=True, capture_output=True).stdout)["story"]
    codes = [line["code"] for line in story]
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")), "unknown")
    print(json.dumps({
        "machine": {"cpu": model, "cores": os.cpu_count()}, "commit": os.environ.get("BENCH_COMMIT", "unknown"), "repeats": REPEATS,
        "bench_devices": devices,
        "bench_plugins_200": dict(plugins, cold_ms=cold, probed_in_children=codes.count("BENCH-L031"), from_cache=codes.count("BENCH-L032"))}, indent=1))


if __name__ == "__main__":
    main()
