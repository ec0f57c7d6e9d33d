// SPDX-License-Identifier: Apache-2.0
// Part of bench.hpp: the context, which finds plugins and measures.
#ifndef BENCH_CPP_CONTEXT_HPP
#define BENCH_CPP_CONTEXT_HPP

#include <bench/cpp/callable.hpp>
#include <memory>
#include <string>
#include <vector>

namespace bench {
inline namespace BENCH_INLINE_NAMESPACE {

struct ContextOptions {
  std::uint32_t flags = 0;                     ///< BENCH_CONTEXT_*
  std::vector<std::string> plugin_paths = {};  ///< searched first
  std::string store_path = {};                 ///< empty: BENCH_STORE or the user's cache folder
};

class Context {
 public:
  Context() = default;
  static Result<Context> create(const ContextOptions &options = {}) {
    bench_context_options_v1 raw{};
    raw.struct_size = sizeof raw;
    raw.flags = options.flags;
    std::vector<const char *> paths;
    for (const std::string &path : options.plugin_paths) paths.push_back(path.c_str());
    raw.plugin_paths = paths.data();
    raw.plugin_path_count = std::uint32_t(paths.size());
    raw.store_path = options.store_path.empty() ? nullptr : options.store_path.c_str();
    detail::ErrorSlot slot;
    bench_context *made = nullptr;
    const bench_status status = bench_context_create(&raw, &made, &slot.raw);
    if (status != BENCH_OK) return slot.info(status);
    Context context;
    context.raw_.reset(made);
    return context;
  }

  bench_context *raw() const { return raw_.get(); }

  Result<bench_device_v1> device(const char *name) const {
    detail::ErrorSlot slot;
    bench_device_v1 found{};
    const bench_status status = bench_device_parse(raw(), name, &found, &slot.raw);
    if (status != BENCH_OK) return slot.info(status);
    return found;
  }
  Result<std::string> devices_json() const {
    std::string text;
    const bench_writer_v1 writer = detail::writer(text);
    detail::ErrorSlot slot;
    const bench_status status = bench_devices_json(raw(), &writer, &slot.raw);
    if (status != BENCH_OK) return slot.info(status);
    return text;
  }

  /// Measures `launch` on `where`. The policy may be null.
  template <typename Launch>
  Result<bench_measurement_v1> do_bench(bench_device_v1 where, Launch &&launch,
                                        const CallOptions &options = {},
                                        const bench_policy_v1 *policy = nullptr) const {
    detail::Bridge<std::remove_reference_t<Launch>> bridge(launch, options);
    detail::ErrorSlot slot;
    bench_measurement_v1 measurement{};
    measurement.struct_size = sizeof measurement;
    const bench_status status = bench_do_bench(raw(), where, options.stream, &bridge.callable,
                                               nullptr, policy, &measurement, &slot.raw);
    if (status != BENCH_OK) return bridge.info(slot, status);
    return measurement;
  }

 private:
  struct Destroy {
    void operator()(bench_context *context) const { bench_context_destroy(context); }
  };
  std::unique_ptr<bench_context, Destroy> raw_;
};

}  // namespace BENCH_INLINE_NAMESPACE
}  // namespace bench
#endif
