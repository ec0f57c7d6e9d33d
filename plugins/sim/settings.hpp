// SPDX-License-Identifier: Apache-2.0
// The devices of a simulation, as its JSON file describes them. Times in ns; every member may be
// left out.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace bench_sim {

struct Settings {
  std::string name = "Simulated device";
  std::string architecture = "sim1";
  std::uint64_t seed = 1;
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  std::uint64_t cache_bytes = std::uint64_t{32} << 20;
  std::uint32_t queue_depth = 1024;  // operations that may be pending before a launch waits
  bool gate = true;
  bool graph = true;

  struct {
    double submit_ns = 2000;       // host time of a launch
    double event_ns = 200;         // host time of recording an event
    double synchronize_ns = 3000;  // host time from the end of the work to the return
    double gap_ns = 500;           // device time between two operations
    double graph_gap_ns = 100;     // the same within a graph
    double copy_bytes_per_ns = 20;
    double flush_ns = 50000;
  } cost;

  /// Slower by `factor` at first; that fades over `launches`, and is back after `idle_ns`.
  struct {
    double factor = 1, launches = 10, idle_ns = 1e9;
  } warmup;
  /// The clock starts low, `factor` times slower, and rises over `over_ns` of work.
  struct {
    double factor = 1, over_ns = 1e9;
  } ramp;
  /// After so much work the clock falls, for good.
  struct {
    double factor = 1, after_ns = 0;
  } throttle;
  struct {
    double cv = 0;          // of a launch
    bool lognormal = true;  // else normal, cut at a tenth of the time
  } noise;
  /// AR(1) from launch to launch, of the logarithm.
  struct {
    double phi = 0, sd = 0;  // sd is the stationary one
  } drift;
  /// With this probability a launch takes longer, by a Pareto part.
  struct {
    double probability = 0, scale = 0.5, alpha = 1.5;
  } tail;
  /// A second level: `fraction` of the time, kept with probability `sticky` from launch to launch.
  struct {
    double fraction = 0, factor = 1, sticky = 0;
  } bimodal;
  /// The first launch after another kernel ran.
  struct {
    double factor = 1;
  } first;
  /// Each time another kernel ran before, this one gets a factor of its own.
  struct {
    double sd = 0;
  } visit;
  struct {
    double resolution_ns = 32, wrap_ns = 0, drift = 0;
    std::uint32_t zero_every = 0, negative_every = 0;
    bool frozen = false;
  } timer;
};

/// "default" is one device as it comes; else a file. Throws plugin::Error that names the member.
std::vector<Settings> read_settings(const std::string &where);

}  // namespace bench_sim
