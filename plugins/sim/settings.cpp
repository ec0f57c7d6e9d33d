// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <bench/plugin.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

namespace bench_sim {
namespace {

using bench::plugin::Error;
using nlohmann::json;

[[noreturn]] void fail(const std::string &what) {
  throw Error(BENCH_ERROR_INVALID_ARGUMENT, "the device file: " + what,
              "see the plugin's documentation for what a device may have");
}

/// One JSON object; a member that nobody asked for is a spelling mistake.
class Section {
 public:
  Section(const json &object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object_.is_object()) fail(path_ + " is not an object");
  }

  template <typename T>
  void take(const char *name, T &target) {
    known_.insert(name);
    const auto found = object_.find(name);
    if (found == object_.end()) return;
    const std::string where = path_ + "." + name;
    if constexpr (std::is_same_v<T, bool>) {
      if (!found->is_boolean()) fail(where + " is neither true nor false");
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!found->is_string()) fail(where + " is not a text");
    } else {
      if (!found->is_number()) fail(where + " is not a number");
      if constexpr (std::is_unsigned_v<T>) {
        if (found->get<double>() < 0.0) fail(where + " is negative");
      }
    }
    target = found->get<T>();
  }

  template <typename Body>
  void within(const char *name, Body &&body) {
    known_.insert(name);
    const auto found = object_.find(name);
    if (found == object_.end()) return;
    Section section(*found, path_ + "." + name);
    body(section);
    section.check();
  }

  void check() const {
    for (const auto &[name, value] : object_.items()) {
      if (!known_.count(name)) fail(path_ + "." + name + " is not known");
    }
  }

 private:
  const json &object_;
  const std::string path_;
  std::set<std::string> known_;
};

void positive(double value, const std::string &name) {
  if (!(value > 0.0)) fail(name + " must be above zero");
}

Settings read_device(const json &from, const std::string &path) {
  Settings s;
  Section device(from, path);
  device.take("name", s.name);
  device.take("architecture", s.architecture);
  device.take("seed", s.seed);
  device.take("memory_bytes", s.memory_bytes);
  device.take("cache_bytes", s.cache_bytes);
  device.take("queue_depth", s.queue_depth);
  device.take("gate", s.gate);
  device.take("graph", s.graph);
  device.within("cost", [&](Section &in) {
    in.take("submit_ns", s.cost.submit_ns);
    in.take("event_ns", s.cost.event_ns);
    in.take("synchronize_ns", s.cost.synchronize_ns);
    in.take("gap_ns", s.cost.gap_ns);
    in.take("graph_gap_ns", s.cost.graph_gap_ns);
    in.take("copy_bytes_per_ns", s.cost.copy_bytes_per_ns);
    in.take("flush_ns", s.cost.flush_ns);
  });
  device.within("warmup", [&](Section &in) {
    in.take("factor", s.warmup.factor);
    in.take("launches", s.warmup.launches);
    in.take("idle_ns", s.warmup.idle_ns);
  });
  device.within("ramp", [&](Section &in) {
    in.take("factor", s.ramp.factor);
    in.take("over_ns", s.ramp.over_ns);
  });
  device.within("throttle", [&](Section &in) {
    in.take("factor", s.throttle.factor);
    in.take("after_ns", s.throttle.after_ns);
  });
  device.within("noise", [&](Section &in) {
    in.take("cv", s.noise.cv);
    in.take("lognormal", s.noise.lognormal);
  });
  device.within("drift", [&](Section &in) {
    in.take("phi", s.drift.phi);
    in.take("sd", s.drift.sd);
  });
  device.within("tail", [&](Section &in) {
    in.take("probability", s.tail.probability);
    in.take("scale", s.tail.scale);
    in.take("alpha", s.tail.alpha);
  });
  device.within("bimodal", [&](Section &in) {
    in.take("fraction", s.bimodal.fraction);
    in.take("factor", s.bimodal.factor);
    in.take("sticky", s.bimodal.sticky);
  });
  device.within("first", [&](Section &in) { in.take("factor", s.first.factor); });
  device.within("visit", [&](Section &in) { in.take("sd", s.visit.sd); });
  device.within("timer", [&](Section &in) {
    in.take("resolution_ns", s.timer.resolution_ns);
    in.take("wrap_ns", s.timer.wrap_ns);
    in.take("drift", s.timer.drift);
    in.take("zero_every", s.timer.zero_every);
    in.take("negative_every", s.timer.negative_every);
    in.take("frozen", s.timer.frozen);
  });
  device.check();
  positive(s.cost.copy_bytes_per_ns, path + ".cost.copy_bytes_per_ns");
  positive(s.warmup.launches, path + ".warmup.launches");
  positive(s.ramp.over_ns, path + ".ramp.over_ns");
  positive(s.tail.alpha, path + ".tail.alpha");
  for (const double factor :
       {s.warmup.factor, s.ramp.factor, s.throttle.factor, s.bimodal.factor, s.first.factor})
    positive(factor, path + ": a factor");
  if (!(s.drift.phi >= 0.0 && s.drift.phi < 1.0)) fail(path + ".drift.phi is not in [0, 1)");
  if (s.queue_depth == 0) fail(path + ".queue_depth is 0");
  return s;
}

}  // namespace

std::vector<Settings> read_settings(const std::string &where) {
  if (where == "default") return {Settings{}};
  std::ifstream in(where);
  if (!in) fail("cannot read " + where);
  const json root = json::parse(in, nullptr, false, true);
  if (!root.is_object() || !root.contains("devices") || !root["devices"].is_array())
    fail(where + " is no object with a list \"devices\"");
  std::vector<Settings> all;
  for (const json &device : root["devices"])
    all.push_back(read_device(device, "devices[" + std::to_string(all.size()) + "]"));
  if (all.empty()) fail(where + " lists no device");
  return all;
}

}  // namespace bench_sim
