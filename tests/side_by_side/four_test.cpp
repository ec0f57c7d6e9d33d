// SPDX-License-Identifier: Apache-2.0
// All four device classes in one process, over their drivers in software: listed side by side, and
// a tuner's call goes where its arguments are.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <bench/bench.hpp>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace bench;
using nlohmann::json;

namespace {

constexpr std::int64_t size = 1 << 22;

Context context() {
  ContextOptions options;
  options.flags = BENCH_CONTEXT_IGNORE_ENVIRONMENT | BENCH_CONTEXT_NO_STORE;
  options.plugin_paths = {BENCH_CPU_PLUGIN, BENCH_CUDA_PLUGIN, BENCH_HIP_PLUGIN, BENCH_XPU_PLUGIN};
  return Context::create(options).value();
}

void *function(const char *library, const char *name) {
  void *const opened = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(opened != nullptr, library);
  void *const found = ::dlsym(opened, name);
  REQUIRE_MESSAGE(found != nullptr, name);
  return found;
}

/// Fills memory on a stream by the class's own interface, as a caller's kernel would.
void fill(const std::string &on, void *memory, std::size_t bytes, const bench_stream_v1 *stream) {
  if (on == "cuda") {
    using Fill = int(unsigned long long, unsigned char, std::size_t, void *);
    static auto *const call = reinterpret_cast<Fill *>(function("libcuda.so.1", "cuMemsetD8Async"));
    using Enter = int(void *);
    static auto *const enter =
        reinterpret_cast<Enter *>(function("libcuda.so.1", "cuCtxSetCurrent"));
    CHECK(enter(stream->context) == 0);
    CHECK(call(reinterpret_cast<unsigned long long>(memory), 7, bytes, stream->handle) == 0);
  } else if (on == "hip") {
    using Fill = int(void *, int, std::size_t, void *);
    static auto *const call =
        reinterpret_cast<Fill *>(function("libamdhip64.so.6", "hipMemsetAsync"));
    CHECK(call(memory, 7, bytes, stream->handle) == 0);
  } else if (on == "xpu") {
    using Fill =
        int(void *, void *, const void *, std::size_t, std::size_t, void *, std::uint32_t, void *);
    static auto *const call =
        reinterpret_cast<Fill *>(function("libze_loader.so.1", "zeCommandListAppendMemoryFill"));
    const unsigned char value = 7;
    CHECK(call(stream->handle, memory, &value, 1, bytes, nullptr, 0, nullptr) == 0);
  } else {
    std::memset(memory, 7, bytes);
  }
}

}  // namespace

TEST_CASE("four classes are listed side by side, each with its device") {
  const Context all = context();
  const json listed = json::parse(all.devices_json().value());
  std::map<std::string, std::string> states;
  for (const json &one : listed) states[one["class"]] = one["state"];
  CAPTURE(listed.dump());
  for (const char *name : {"cpu", "cuda", "hip", "xpu"}) CHECK(states[name] == "usable");
}

TEST_CASE("a tuner's call goes to the device of its arguments, and is measured by its clock") {
  const Context all = context();
  const std::pair<const char *, Device> places[] = {
      {"cpu", cpu()}, {"cuda", cuda()}, {"hip", hip()}, {"xpu", xpu()}};
  for (const auto &[name, where] : places) {
    CAPTURE(std::string(name));
    const std::string on = name;
    std::vector<unsigned char> memory(size);
    bench_policy_v1 policy{};
    policy.struct_size = sizeof policy;
    policy.max_samples = 10;
    TunerOptions options;
    options.name = "fill/1";
    options.configs = {{{"bytes", size}}, {{"bytes", size / 16}}, {{"bytes", size / 2}}};
    options.argument_names = {"memory"};
    options.policy = &policy;
    const Tuner tuner = Tuner::create(all, options).value();
    Arguments arguments(tuner);
    arguments.set("memory", tensor(memory.data(), {size}, where).role(BENCH_ROLE_OUT));
    int launches = 0;
    const auto launch = [&](const ConfigView &config, const bench_stream_v1 *stream) {
      ++launches;
      fill(on, memory.data(), static_cast<std::size_t>(config.integer("bytes")), stream);
    };
    CallOptions call;
    call.flags = BENCH_CALLABLE_REPEATABLE | (on == "cpu" ? BENCH_CALLABLE_SYNCHRONOUS : 0u);
    auto best = tuner.lookup(arguments, launch, call);
    REQUIRE_MESSAGE(static_cast<bool>(best), best.error().what);
    CHECK(launches > 3);
    CHECK(memory[0] == 7);
    const json report = json::parse(tuner.report_json(arguments).value());
    CHECK(report["device"] == on + ":0");
    // By a virtual clock the smallest is the quickest; the processor's time is real.
    if (on != "cpu") CHECK(best.value() == 1);
  }
}
