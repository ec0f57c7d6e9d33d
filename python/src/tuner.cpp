// SPDX-License-Identifier: Apache-2.0
#include "tuner.hpp"

#include <algorithm>
#include <memory>

namespace libbench {

namespace {

template <typename T>
T get(const nb::dict &options, const char *name) {
  const nb::object value = options[name];
  try {
    return nb::cast<T>(value);
  } catch (const std::bad_cast &) {
    throw nb::type_error((std::string(name) + " is a " + Py_TYPE(value.ptr())->tp_name).c_str());
  }
}

std::vector<std::string> texts(const nb::dict &options, const char *name) {
  return get<std::vector<std::string>>(options, name);
}

std::vector<const char *> pointers(const std::vector<std::string> &all) {
  std::vector<const char *> result;
  for (const std::string &each : all) result.push_back(each.c_str());
  return result;
}

/// A configuration's names and values with what they point to.
struct Config {
  std::vector<std::string> names, value_texts;
  std::vector<const char *> name_pointers;
  std::vector<bench_value_v1> values;
  std::vector<const bench_value_v1 *> value_pointers;
  bench_config_v1 raw{};

  explicit Config(const nb::dict &given) {
    const std::size_t count = nb::len(given);
    value_texts.reserve(count);  // pointers into it are taken
    for (const auto &[name, value] : given) {
      names.push_back(nb::cast<std::string>(nb::str(name)));
      bench_value_v1 each{};
      each.struct_size = sizeof each;
      value_texts.emplace_back();
      if (value.is_none()) {
        each.type = BENCH_VALUE_NONE;
      } else if (PyBool_Check(value.ptr())) {
        each.type = BENCH_VALUE_BOOLEAN;
        each.integer = value.ptr() == Py_True;
      } else if (PyLong_Check(value.ptr())) {
        each.type = BENCH_VALUE_INTEGER;
        each.integer = nb::cast<std::int64_t>(value);
      } else if (PyFloat_Check(value.ptr())) {
        each.type = BENCH_VALUE_REAL;
        each.real = nb::cast<double>(value);
      } else {
        each.type = BENCH_VALUE_TEXT;
        value_texts.back() = PyUnicode_Check(value.ptr()) ? nb::cast<std::string>(value)
                                                          : nb::cast<std::string>(nb::repr(value));
        each.text = value_texts.back().c_str();
      }
      values.push_back(each);
    }
    for (std::size_t at = 0; at < count; ++at) {
      name_pointers.push_back(names[at].c_str());
      value_pointers.push_back(&values[at]);
    }
    raw.struct_size = sizeof raw;
    raw.count = std::uint32_t(count);
    raw.names = name_pointers.data();
    raw.values = value_pointers.data();
  }
};

}  // namespace

Tuner::Tuner(nb::object context, nb::dict options) : context_(context) {
  names_ = texts(options, "argument_names");
  roles_ = get<std::vector<std::uint32_t>>(options, "roles");
  const std::vector<std::string> keys = texts(options, "key");
  const std::vector<std::string> restored = texts(options, "restore");
  const std::vector<std::string> zeroed = texts(options, "zero");
  const auto buckets = get<std::vector<std::uint32_t>>(options, "buckets");
  const auto name = get<std::string>(options, "name");
  const auto device = get<std::string>(options, "device");
  const auto holds = [](const std::vector<std::string> &list, const std::string &name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const std::string &each : names_) {
    is_key_.push_back(holds(keys, each));
    is_zeroed_.push_back(holds(zeroed, each));
  }
  std::vector<std::unique_ptr<Config>> configs;
  std::vector<const bench_config_v1 *> config_pointers;
  for (nb::handle each : get<nb::list>(options, "configs")) {
    configs.push_back(std::make_unique<Config>(nb::cast<nb::dict>(each)));
    config_pointers.push_back(&configs.back()->raw);
  }
  const auto name_pointers = pointers(names_), key_pointers = pointers(keys),
             restore_pointers = pointers(restored), zero_pointers = pointers(zeroed);
  const bench_policy_v1 policy = read_policy(get<nb::dict>(options, "policy"));
  bench_tuner_options_v1 raw{};
  raw.struct_size = sizeof raw;
  raw.name = name.c_str();
  raw.configs = config_pointers.data();
  raw.config_count = std::uint32_t(config_pointers.size());
  raw.argument_names = name_pointers.data();
  raw.argument_count = std::uint32_t(name_pointers.size());
  raw.key_names = key_pointers.data();
  raw.key_count = std::uint32_t(key_pointers.size());
  raw.key_buckets = buckets.empty() ? nullptr : buckets.data();
  raw.default_config = get<std::uint32_t>(options, "default");
  raw.flags = get<std::uint32_t>(options, "flags");
  raw.policy = &policy;
  raw.device_name = device.empty() ? nullptr : device.c_str();
  raw.eps = get<double>(options, "eps");
  raw.delta = get<double>(options, "delta");
  raw.switch_margin = get<double>(options, "switch_margin");
  raw.max_time_ns = std::int64_t(get<double>(options, "max_time_ns"));
  raw.mode = get<std::uint32_t>(options, "mode");
  raw.pinned_config = get<std::uint32_t>(options, "pinned");
  raw.restore_names = restore_pointers.data();
  raw.restore_count = std::uint32_t(restore_pointers.size());
  raw.zero_names = zero_pointers.data();
  raw.zero_count = std::uint32_t(zero_pointers.size());
  raw.top_count = get<std::uint32_t>(options, "top_count");
  raw.top_fraction = get<double>(options, "top_fraction");
  raw.saved_bytes_limit = get<std::uint64_t>(options, "saved_bytes_limit");
  raw.tolerance = get<double>(options, "tolerance");
  bench_error_v1 error = empty_error();
  const bench_status status =
      bench_tuner_create(nb::cast<Context &>(context).raw(), &raw, &raw_, &error);
  if (status != BENCH_OK) raise(status, error);
}

Tuner::~Tuner() {
  bench_tuner_destroy(raw_);
}

std::vector<const bench_argument_v1 *> Tuner::read(nb::tuple values,
                                                   std::vector<Slot> &slots) const {
  slots.resize(nb::len(values));
  std::vector<const bench_argument_v1 *> result;
  for (std::size_t at = 0; at < slots.size(); ++at) {
    const bool known = at < names_.size();
    read_whole(values[at], known && is_key_[at], known ? names_[at] : "", slots[at]);
    if (!known) {  // the core says how many it wants
      result.push_back(&slots[at].raw);
      continue;
    }
    slots[at].raw.role = roles_[at];
    const bool written = slots[at].raw.role == BENCH_ROLE_OUT ||
                         slots[at].raw.role == BENCH_ROLE_INOUT || is_zeroed_[at];
    if (written && slots[at].raw.kind == BENCH_ARGUMENT_TENSOR &&
        (slots[at].read_only || !slots[at].raw.data))
      throw nb::value_error(("argument '" + names_[at] +
                             "' is marked as written by the kernel, but its memory is read-only or "
                             "cannot be reached: pass a writable array, or take the mark away")
                                .c_str());
    result.push_back(&slots[at].raw);
  }
  return result;
}

std::uint64_t Tuner::tune(nb::tuple values, nb::object function, nb::tuple arguments,
                          nb::dict keywords, nb::list configs, nb::object stream,
                          std::uint32_t flags, nb::dict hooks) {
  std::vector<Slot> slots;
  const auto views = read(values, slots);
  const Launcher launcher(std::move(function), arguments, keywords, configs);
  Bridge bridge(launcher, read_hooks(hooks), flags);
  bench_stream_v1 raw_stream;
  const bool has_stream = read_stream(stream, raw_stream);
  const bench_call_v1 call{sizeof call, 0, &bridge.callable(), has_stream ? &raw_stream : nullptr,
                           &bridge.callbacks()};
  std::uint64_t index = 0;
  bench_error_v1 error = empty_error();
  const bench_status status = bridge.without_gil([&] {
    return bench_tuner_lookup(raw_, views.data(), std::uint32_t(views.size()), &call, &index,
                              &error);
  });
  bridge.finish(status, error);
  return index;
}

nb::object Tuner::find(nb::tuple values) {
  std::vector<Slot> slots;
  const auto views = read(values, slots);
  std::uint64_t index = 0;
  bench_error_v1 error = empty_error();
  bench_status status;
  {
    const nb::gil_scoped_release released;
    status = bench_tuner_lookup(raw_, views.data(), std::uint32_t(views.size()), nullptr, &index,
                                &error);
  }
  if (status == BENCH_ERROR_NOT_TUNED) return nb::none();
  if (status != BENCH_OK) raise(status, error);
  return nb::int_(index);
}

void Tuner::choose(nb::tuple values, std::uint64_t index) {
  std::vector<Slot> slots;
  const auto views = read(values, slots);
  bench_error_v1 error = empty_error();
  bench_status status;
  {
    const nb::gil_scoped_release released;
    status = bench_tuner_choose(raw_, views.data(), std::uint32_t(views.size()), index, &error);
  }
  if (status != BENCH_OK) raise(status, error);
}

nb::object Tuner::report_json(nb::tuple values) {
  std::vector<Slot> slots;
  const auto views = read(values, slots);
  std::string result;
  const bench_writer_v1 writer = writer_to(result);
  bench_error_v1 error = empty_error();
  bench_status status;
  {
    const nb::gil_scoped_release released;
    status =
        bench_tuner_report_json(raw_, views.data(), std::uint32_t(views.size()), &writer, &error);
  }
  if (status == BENCH_ERROR_NOT_TUNED) return nb::none();
  if (status != BENCH_OK) raise(status, error);
  return nb::steal(PyUnicode_DecodeUTF8(result.data(), Py_ssize_t(result.size()), "replace"));
}

}  // namespace libbench
