// SPDX-License-Identifier: Apache-2.0
// Two copies of the core in one process, as two wheels bring them, write to one store: no row is
// lost, and neither finds the other's symbols.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "bench/bench.h"
#include "temp_dir.hpp"

namespace {

constexpr int keys_per_copy = 20;

#define BENCH_FUNCTION(name) decltype(&::name) name

struct Copy {
  void *handle;
  BENCH_FUNCTION(bench_context_create);
  BENCH_FUNCTION(bench_context_destroy);
  BENCH_FUNCTION(bench_tuner_create);
  BENCH_FUNCTION(bench_tuner_destroy);
  BENCH_FUNCTION(bench_tuner_lookup);

  explicit Copy(const std::string &path) : handle(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    REQUIRE_MESSAGE(handle, ::dlerror());
    load(bench_context_create, "bench_context_create");
    load(bench_context_destroy, "bench_context_destroy");
    load(bench_tuner_create, "bench_tuner_create");
    load(bench_tuner_destroy, "bench_tuner_destroy");
    load(bench_tuner_lookup, "bench_tuner_lookup");
  }
  template <typename Function>
  void load(Function &function, const char *name) {
    function = reinterpret_cast<Function>(::dlsym(handle, name));
    const bool found = function != nullptr;
    REQUIRE_MESSAGE(found, name);
  }

  /// Looks up keys [first, first + keys_per_copy); returns how many were tuned with launches, or
  /// -1.
  int tune(const std::string &store, int first) const {
    bench_context_options_v1 options{};
    options.struct_size = sizeof options;
    options.flags = BENCH_CONTEXT_IGNORE_ENVIRONMENT;
    const char *const paths[] = {BENCH_SCRIPTED_PLUGIN};
    options.plugin_paths = paths;
    options.plugin_path_count = 1;
    options.store_path = store.c_str();
    bench_context *context = nullptr;
    if (bench_context_create(&options, &context, nullptr) != BENCH_OK) return -1;
    const bench_config_v1 config{sizeof config, 0, 0, 0, nullptr, nullptr, nullptr};
    const bench_config_v1 *const configs[] = {&config, &config};
    const char *const names[] = {"n"};
    bench_tuner_options_v1 tuner_options{};
    tuner_options.struct_size = sizeof tuner_options;
    tuner_options.name = "two-copies/1";
    tuner_options.configs = configs;
    tuner_options.config_count = 2;
    tuner_options.argument_names = tuner_options.key_names = names;
    tuner_options.argument_count = tuner_options.key_count = 1;
    tuner_options.device_name = "scripted:0";
    bench_tuner *tuner = nullptr;
    int tuned = -1;
    if (bench_tuner_create(context, &tuner_options, &tuner, nullptr) == BENCH_OK) {
      tuned = 0;
      for (int n = first; n < first + keys_per_copy && tuned >= 0; ++n)
        tuned = lookup(tuner, n) ? tuned + (launches_ > 0) : -1;
      bench_tuner_destroy(tuner);
    }
    bench_context_destroy(context);
    return tuned;
  }

 private:
  bool lookup(bench_tuner *tuner, int n) const {
    bench_argument_v1 argument{};
    argument.struct_size = sizeof argument;
    argument.kind = BENCH_ARGUMENT_INTEGER;
    argument.integer = n;
    const bench_argument_v1 *const arguments[] = {&argument};
    bench_callable_v1 callable{};
    callable.struct_size = sizeof callable;
    launches_ = 0;
    callable.user = &launches_;
    callable.launch = [](void *user, const bench_config_v1 *, const bench_stream_v1 *,
                         bench_error_v1 *) {
      ++*static_cast<int *>(user);
      return bench_status{BENCH_OK};
    };
    const bench_call_v1 call{sizeof call, 0, &callable, nullptr, nullptr};
    std::uint64_t index = 0;
    return bench_tuner_lookup(tuner, arguments, 1, &call, &index, nullptr) == BENCH_OK;
  }
  static thread_local int launches_;
};
thread_local int Copy::launches_ = 0;

}  // namespace

TEST_CASE("two copies of the library write to one store at the same time and lose nothing") {
  const bench::test::TempDir temp;
  const std::string store = (temp.path() / "store.sqlite").string();
  std::vector<std::string> paths;
  for (const char *name : {"one", "two"}) {
    const auto folder = temp.path() / name;
    std::filesystem::create_directory(folder);
    paths.push_back((folder / "libbench.so.0").string());
    std::filesystem::copy_file(BENCH_LIBRARY, paths.back());
  }
  const Copy one(paths[0]), two(paths[1]);
  const bool separate = one.bench_tuner_lookup != two.bench_tuner_lookup;
  CHECK(separate);

  std::atomic<int> first{0}, second{0};
  std::thread thread([&] { first = one.tune(store, 0); });
  second = two.tune(store, keys_per_copy);
  thread.join();
  CHECK(first == keys_per_copy);
  CHECK(second == keys_per_copy);
  // Each copy now finds what the other wrote: all rows are there.
  CHECK(one.tune(store, keys_per_copy) == 0);
  CHECK(two.tune(store, 0) == 0);
  CHECK(one.tune(store, 0) == 0);
}
