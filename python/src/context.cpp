// SPDX-License-Identifier: Apache-2.0
#include "context.hpp"

#include <cmath>
#include <mutex>
#include <utility>

#include "arguments.hpp"

namespace libbench {

namespace {

struct Lines {
  std::mutex mutex;
  std::vector<std::pair<std::uint32_t, std::string>> lines;
};
constexpr std::size_t most_lines = 1000;  // nobody reads them: the oldest may go

nb::str text(const std::string &bytes) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(bytes.data(), Py_ssize_t(bytes.size()), "replace"));
}

template <typename T>
T item(const nb::dict &given, const char *name, T otherwise) {
  if (!given.contains(name) || given[name].is_none()) return otherwise;
  return nb::cast<T>(given[name]);
}

nb::object number(double value) {
  return std::isnan(value) ? nb::none() : nb::object(nb::float_(value));
}

}  // namespace

bench_error_v1 empty_error() {
  bench_error_v1 error{};
  error.struct_size = sizeof error;
  return error;
}

bench_writer_v1 writer_to(std::string &result) {
  return {sizeof(bench_writer_v1), 0, &result,
          [](void *user, const void *bytes, std::uint64_t size) -> bench_status {
            static_cast<std::string *>(user)->append(static_cast<const char *>(bytes), size);
            return BENCH_OK;
          }};
}

Context::Context(const std::vector<std::string> &plugin_paths, const std::string &store_path,
                 std::uint32_t flags)
    : lines_(new Lines) {
  std::vector<const char *> paths;
  for (const std::string &path : plugin_paths) paths.push_back(path.c_str());
  bench_context_options_v1 options{};
  options.struct_size = sizeof options;
  options.flags = flags;
  options.plugin_paths = paths.data();
  options.plugin_path_count = std::uint32_t(paths.size());
  options.store_path = store_path.empty() ? nullptr : store_path.c_str();
  options.log = log;
  options.log_user = lines_;
  bench_error_v1 error = empty_error();
  const bench_status status = bench_context_create(&options, &raw_, &error);
  if (status != BENCH_OK) {
    delete static_cast<Lines *>(lines_);
    raise(status, error);
  }
}

Context::~Context() {
  bench_context_destroy(raw_);
  delete static_cast<Lines *>(lines_);
}

void Context::log(void *user, std::uint32_t level, const char *message) {
  auto &lines = *static_cast<Lines *>(user);
  const std::lock_guard lock(lines.mutex);
  if (lines.lines.size() >= most_lines) lines.lines.erase(lines.lines.begin());
  lines.lines.emplace_back(level, message);
}

nb::list Context::take_log() {
  auto &lines = *static_cast<Lines *>(lines_);
  std::vector<std::pair<std::uint32_t, std::string>> taken;
  {
    const std::lock_guard lock(lines.mutex);
    taken.swap(lines.lines);
  }
  nb::list result;
  for (const auto &[level, line] : taken) result.append(nb::make_tuple(level, text(line)));
  return result;
}

nb::str Context::devices_json() const {
  std::string result;
  const bench_writer_v1 writer = writer_to(result);
  bench_error_v1 error = empty_error();
  bench_status status;
  {
    const nb::gil_scoped_release released;
    status = bench_devices_json(raw_, &writer, &error);
  }
  if (status != BENCH_OK) raise(status, error);
  return text(result);
}

nb::str Context::plugins_json(bool story) const {
  std::string result;
  const bench_writer_v1 writer = writer_to(result);
  bench_error_v1 error = empty_error();
  bench_status status;
  {
    const nb::gil_scoped_release released;
    status = bench_plugins_json(raw_, story ? 1 : 0, &writer, &error);
  }
  if (status != BENCH_OK) raise(status, error);
  return text(result);
}

nb::tuple Context::parse_device(const std::string &name) const {
  bench_device_v1 device{};
  bench_error_v1 error = empty_error();
  bench_status status;
  {
    const nb::gil_scoped_release released;
    status = bench_device_parse(raw_, name.c_str(), &device, &error);
  }
  if (status != BENCH_OK) raise(status, error);
  return nb::make_tuple(device.type, device.id);
}

nb::tuple Context::dispatch(nb::list arguments, const std::string &device) const {
  std::vector<Slot> slots(nb::len(arguments));
  std::vector<const bench_argument_v1 *> pointers;
  for (std::size_t at = 0; at < slots.size(); ++at) {
    read_whole(arguments[at], false, "", slots[at]);
    pointers.push_back(&slots[at].raw);
  }
  bench_device_v1 found{};
  bench_error_v1 error = empty_error();
  bench_status status;
  {
    const nb::gil_scoped_release released;
    status = bench_dispatch(raw_, pointers.data(), std::uint32_t(pointers.size()),
                            device.empty() ? nullptr : device.c_str(), &found, &error);
  }
  if (status != BENCH_OK) raise(status, error);
  return nb::make_tuple(found.type, found.id);
}

bool read_stream(nb::handle given, bench_stream_v1 &stream) {
  stream = {};
  stream.struct_size = sizeof stream;
  if (given.is_none()) return false;
  const nb::tuple parts = nb::cast<nb::tuple>(given);
  stream.kind = nb::cast<std::uint32_t>(parts[0]);
  stream.class_kind = nb::cast<std::uint32_t>(parts[1]);
  stream.handle = reinterpret_cast<void *>(nb::cast<std::uintptr_t>(parts[2]));
  return true;
}

bench_policy_v1 read_policy(nb::dict given) {
  bench_policy_v1 policy{};
  policy.struct_size = sizeof policy;
  policy.kind = item<std::uint32_t>(given, "kind", BENCH_POLICY_BACK_TO_BACK);
  policy.engine = item<bool>(given, "engine", false) ? 1 : 0;
  policy.max_samples = item<std::uint32_t>(given, "max_samples", 0);
  policy.relative_half_width = item<double>(given, "precision", 0.0);
  policy.max_time_ns = std::int64_t(item<double>(given, "max_time_ns", 0.0));
  policy.method = item<std::uint32_t>(given, "method", 0);
  return policy;
}

Hooks read_hooks(nb::dict given) {
  Hooks hooks;
  const auto take = [&](const char *name) {
    return given.contains(name) ? nb::object(given[name]) : nb::object(nb::none());
  };
  hooks.prepare = take("prepare");
  hooks.restore = take("restore");
  hooks.pre_hook = take("pre_hook");
  hooks.post_hook = take("post_hook");
  hooks.prune = take("prune");
  hooks.estimate = take("estimate");
  hooks.classify = take("classify");
  hooks.waits = item<bool>(given, "waits", false);
  return hooks;
}

nb::dict measure(const Context &context, nb::tuple device, nb::object stream, nb::object function,
                 nb::tuple arguments, nb::dict keywords, std::uint32_t flags, nb::dict policy,
                 nb::dict hooks) {
  const bench_device_v1 where{nb::cast<std::int32_t>(device[0]), nb::cast<std::int32_t>(device[1])};
  bench_stream_v1 raw_stream;
  const bool has_stream = read_stream(stream, raw_stream);
  bench_policy_v1 effort = read_policy(policy);
  const Launcher launcher(std::move(function), arguments, keywords, nb::list());
  Bridge bridge(launcher, read_hooks(hooks), flags);
  effort.should_stop = bridge.callbacks().should_stop;
  effort.should_stop_user = bridge.callbacks().user;
  constexpr std::uint32_t default_samples = 1000;  // as bench.h says
  std::vector<double> samples(effort.max_samples ? effort.max_samples : default_samples);
  bench_measurement_v1 measured{};
  measured.struct_size = sizeof measured;
  measured.samples_ns = samples.data();
  measured.sample_capacity = samples.size();
  bench_error_v1 error = empty_error();
  const bench_status status = bridge.without_gil([&] {
    return bench_do_bench(context.raw(), where, has_stream ? &raw_stream : nullptr,
                          &bridge.callable(), nullptr, &effort, &measured, &error);
  });
  bridge.finish(status, error);
  nb::dict result;
  result["median_ns"] = number(measured.median_ns);
  result["mean_ns"] = number(measured.mean_ns);
  result["min_ns"] = number(measured.minimum_ns);
  result["max_ns"] = number(measured.maximum_ns);
  result["p20_ns"] = number(measured.p20_ns);
  result["p80_ns"] = number(measured.p80_ns);
  const bool interval = !std::isnan(measured.interval_low_ns);
  result["interval_ns"] =
      interval ? nb::object(nb::make_tuple(measured.interval_low_ns, measured.interval_high_ns))
               : nb::none();
  result["launches_per_window"] = measured.launches_per_window;
  result["method"] = measured.method;
  result["flags"] = measured.flags;
  result["resolution_ns"] = number(measured.resolution_ns);
  result["floor_ns"] = number(measured.floor_ns);
  result["stop_reason"] = text(measured.stop_reason);
  result["note"] = text(measured.note);
  nb::list times;
  for (std::uint64_t at = 0; at < measured.sample_count; ++at)
    times.append(nb::float_(samples[at]));
  result["samples_ns"] = times;
  return result;
}

}  // namespace libbench
