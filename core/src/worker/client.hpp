// SPDX-License-Identifier: Apache-2.0
// The tuner's side: a worker for one problem, replaced when a candidate has ended it.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tune/race.hpp"
#include "worker/process.hpp"

namespace bench::worker {

/// Everything a fresh worker needs to know.
struct WorkerSetup {
  std::string program;          // bench-worker
  nlohmann::json init;          // the init request
  std::int64_t timeout_ns = 0;  // of one request that runs a candidate
};

/// Compiles; one of several, each in its own thread.
class CompileWorker {
 public:
  explicit CompileWorker(const WorkerSetup &setup) : setup_(setup) {}
  struct Result {
    std::optional<tune::EndState> failed;
    ErrorText error;
    std::vector<std::uint8_t> binary;
    std::string log;
    std::int64_t elapsed_ns = 0;
  };
  /// Never throws for what a candidate does; a compiler that hangs or crashes costs its
  /// configuration only.
  Result compile(const nlohmann::json &request, std::int64_t timeout_ns);

 private:
  const WorkerSetup &setup_;
  std::unique_ptr<Process> process_;
};

struct TuneCost {
  std::int64_t warmup_ns = 0, flush_ns = 0, timed_ns = 0;
};

/// Times. A candidate that ends the worker is told by VisitFailed; the next request starts a fresh
/// one, with the reference and the kernels that are needed.
class TimingWorker {
 public:
  TimingWorker(const WorkerSetup &setup,
               const std::map<std::uint64_t, std::vector<std::uint8_t>> &binaries)
      : setup_(setup), binaries_(binaries) {}

  void set_reference(std::vector<std::uint8_t> binary) {
    reference_ = std::move(binary), use_reference_ = true;
  }
  void set_adopted(std::uint64_t index) { adopted_ = index; }

  /// Makes the reference in a fresh worker. Throws Failure if it cannot be made.
  void prove_reference();
  void load_and_verify(std::uint64_t index, std::uint32_t launches);
  std::uint32_t calibrate(std::uint64_t index);
  std::vector<double> visit(std::uint64_t index, std::uint32_t samples, std::uint32_t launches);
  struct EnergyVisit {
    double joules = 0.0, launch_ns = 0.0;  // per launch
  };
  /// Windows of at least so many launches for half a second. Throws Failure, UNSUPPORTED, where the
  /// device cannot tell what they took.
  EnergyVisit visit_energy(std::uint64_t index, std::uint32_t launches);
  nlohmann::json measure(std::uint64_t index, bool energy);
  /// The device's state now, as JSON; a reason where it cannot be told.
  nlohmann::json telemetry();
  /// What its kernel takes, as JSON text; "{}" if nothing is known.
  std::string resources(std::uint64_t index) const;
  void unload(std::uint64_t index);

  /// Calls `body`, which asks for one candidate's work, and once more in a fresh process where it
  /// failed in a way that another candidate may have caused: it crashed, lost its device, found no
  /// memory or wrong contents in a process that others had used.
  template <typename Body>
  auto with_second_chance(Body &&body) {
    try {
      return body();
    } catch (const tune::VisitFailed &failed) {
      if (!may_be_innocent(failed.state())) throw;
      restart();
    }
    try {
      return body();
    } catch (const tune::VisitFailed &) {
      ++confirmed_;
      throw;
    }
  }

  const TuneCost &cost() const { return cost_; }
  std::uint64_t restarts() const { return restarts_; }
  /// What passed on the clock of the device, where it has one of its own.
  std::int64_t own_ns() const { return own_ns_; }

 private:
  bool may_be_innocent(tune::EndState state) const;
  void restart();
  nlohmann::json candidate_request(std::uint64_t index, nlohmann::json request);
  nlohmann::json raw_request(const nlohmann::json &request);
  void add_cost(const nlohmann::json &reply);
  void start();
  void ensure_loaded(std::uint64_t index);

  const WorkerSetup &setup_;
  const std::map<std::uint64_t, std::vector<std::uint8_t>> &binaries_;
  std::unique_ptr<Process> process_;
  std::map<std::uint64_t, bool> loaded_;
  std::map<std::uint64_t, std::string> resources_;
  bool use_reference_ = false;
  std::vector<std::uint8_t> reference_;
  std::optional<std::uint64_t> adopted_;
  TuneCost cost_;
  std::uint64_t restarts_ = 0;
  std::uint64_t loads_ = 0;      // in this process
  std::uint64_t confirmed_ = 0;  // that failed alone, too
  std::int64_t own_ns_ = 0, clock_ns_ = 0;
};

/// Sends init to a new process; what is for timing alone (a core, a clock) where it times. Throws
/// Failure.
std::unique_ptr<Process> start_worker(const WorkerSetup &setup, bool times);

}  // namespace bench::worker
