// SPDX-License-Identifier: Apache-2.0
#include "worker/client.hpp"

#include "worker/buffers.hpp"
#include "worker/protocol.hpp"

namespace bench::worker {
namespace {

using nlohmann::json;

// Starting, loading a driver and filling large arguments; a candidate's own code does not run in
// it.
constexpr std::int64_t start_timeout_ns = 120'000'000'000;
// No candidate has run in it yet: what ends it may come from outside, and be over soon.
constexpr int start_trials = 3;
// A compiler gets the deadline itself; the worker is killed only if it does not keep it.
constexpr std::int64_t compile_grace_ns = 5'000'000'000;
// A step of the counter may be seen 10 ms late at both ends: 2 % of this, which visits average.
constexpr std::int64_t energy_visit_ns = 500'000'000;

// Verification's launches: one for each poison, and more only within a moment.
constexpr std::uint32_t least_launches = Buffers::patterns;
constexpr std::int64_t further_launches_ns = 200'000'000;

constexpr std::uint64_t max_confirmed = 16;

[[noreturn]] void throw_reply(const json &reply) {
  const ErrorText text = error_of(reply["error"]);
  const auto state = tune::end_state_of(reply.value("state", ""));
  throw tune::VisitFailed(state ? *state : tune::end_state_of(text.status), text);
}

tune::VisitFailed died(const WorkerDied &death, std::int64_t timeout_ns) {
  if (death.timeout()) {
    return {tune::EndState::timeout,
            {BENCH_ERROR_TIMEOUT, death.what(), "worker process",
             "raise the limit of " + std::to_string(timeout_ns / 1'000'000'000) +
                 " s (--timeout) if it only is slow",
             0, ""}};
  }
  return {tune::EndState::crashed,
          {BENCH_ERROR_CALLABLE_FAILED, std::string("the process that ran it ") + death.what(),
           "worker process", "the kernel writes or reads where it must not, or calls exit", 0, ""}};
}

}  // namespace

std::unique_ptr<Process> start_worker(const WorkerSetup &setup, bool times) {
  json init = setup.init;
  // Several compile at once: on all cores, and one clock has one holder.
  if (!times) init["pin_core"] = init["lock_clock_hz"] = 0;
  for (int trial = 1;; ++trial) {
    auto process = std::make_unique<Process>(setup.program);
    try {
      const json reply = process->request(init, start_timeout_ns);
      if (reply.contains("error")) throw Failure(error_of(reply["error"]));
      return process;
    } catch (const WorkerDied &death) {
      if (trial < start_trials && !death.timeout()) continue;
      throw Failure(BENCH_ERROR_INTERNAL,
                    std::string("the worker ") + death.what() + " while it opened the device",
                    "worker process", "`bench plugins --why` may tell more");
    }
  }
}

CompileWorker::Result CompileWorker::compile(const json &request, std::int64_t timeout_ns) {
  Result result;
  const auto fail = [&](tune::EndState state, ErrorText text) {
    result.failed = state;
    result.error = std::move(text);
    return result;
  };
  json timed = request;
  timed["timeout_ns"] = timeout_ns;
  const auto ask = [&] {
    if (!process_) process_ = start_worker(setup_, false);
    return process_->request(timed, timeout_ns + compile_grace_ns);
  };
  try {
    json reply;
    try {
      reply = ask();
    } catch (const WorkerDied &death) {
      // What the compilation before it had harmed, or memory that others took: once more, alone.
      process_.reset();
      if (death.timeout()) throw;
      reply = ask();
    }
    if (reply.contains("error")) {
      const ErrorText text = error_of(reply["error"]);
      return fail(tune::end_state_of(text.status), text);
    }
    result.binary = reply["binary"].get_binary();
    result.log = reply.value("log", "");
    result.elapsed_ns = reply.value("elapsed_ns", std::int64_t{0});
  } catch (const WorkerDied &death) {
    process_.reset();
    return fail(
        death.timeout() ? tune::EndState::timeout : tune::EndState::compile_failed,
        {death.timeout() ? BENCH_ERROR_TIMEOUT : BENCH_ERROR_COMPILE_FAILED,
         std::string("the process that compiled it ") + death.what(), "compile",
         "the compiler may be broken or out of memory; try fewer at a time (--jobs 1)", 0, ""});
  } catch (const Failure &failure) {
    process_.reset();
    return fail(tune::end_state_of(failure.status()), failure.text());
  }
  return result;
}

json TimingWorker::raw_request(const json &request) {
  try {
    json reply = process_->request(request, setup_.timeout_ns);
    if (const auto clock = reply.find("clock_ns"); clock != reply.end()) {
      const std::int64_t now_ns = clock->get<std::int64_t>();
      own_ns_ += now_ns - clock_ns_;
      clock_ns_ = now_ns;
    }
    return reply;
  } catch (const WorkerDied &) {
    process_.reset();
    loaded_.clear();
    ++restarts_;
    throw;
  }
}

void TimingWorker::start() {
  if (process_) return;
  const auto open = [&] {
    process_ = start_worker(setup_, true);
    loads_ = 0;
    clock_ns_ = 0;  // a new process, a new clock
    if (!use_reference_) return;
    const json reply = raw_request({{"op", "reference"}, {"binary", json::binary(reference_)}});
    if (reply.contains("error")) throw Failure(error_of(reply["error"]));
  };
  for (int trial = 1; !process_; ++trial) {
    try {
      open();
    } catch (const WorkerDied &death) {
      if (trial < start_trials && !death.timeout()) continue;
      throw Failure(BENCH_ERROR_CALLABLE_FAILED,
                    std::string("the process that ran the reference ") + death.what(),
                    "ReferenceKernel",
                    "mend the reference kernel: nothing can be compared with it");
    }
  }
  if (!adopted_) return;
  const std::uint64_t index = *adopted_;
  adopted_.reset();  // while it is loaded it must not be compared with itself
  try {
    ensure_loaded(index);
    candidate_request(index, {{"op", "adopt"}});
  } catch (...) {
    adopted_ = index;
    throw;
  }
  adopted_ = index;
}

void TimingWorker::restart() {
  process_.reset();
  loaded_.clear();
}

bool TimingWorker::may_be_innocent(tune::EndState state) const {
  switch (state) {
    case tune::EndState::crashed:
    case tune::EndState::device_lost:
      return true;
    case tune::EndState::out_of_resources:
    case tune::EndState::wrong_output:
    case tune::EndState::non_finite:
      // A process takes a while to start: where many failed alone as well, the next will, too.
      return loads_ > 1 && confirmed_ < max_confirmed;
    default:
      return false;
  }
}

void TimingWorker::prove_reference() {
  restart();
  start();
}

json TimingWorker::candidate_request(std::uint64_t index, json request) {
  request["index"] = index;
  try {
    json reply = raw_request(request);
    if (reply.contains("error")) {
      if (error_of(reply["error"]).status == BENCH_ERROR_DEVICE_LOST) {
        // A sticky error: everything that this process would measure from now on fails too.
        process_.reset();
        loaded_.clear();
        ++restarts_;
      }
      throw_reply(reply);
    }
    return reply;
  } catch (const WorkerDied &death) {
    throw died(death, setup_.timeout_ns);
  }
}

void TimingWorker::ensure_loaded(std::uint64_t index) {
  start();
  if (loaded_[index]) return;
  ++loads_;
  const json reply =
      candidate_request(index, {{"op", "load"}, {"binary", json::binary(binaries_.at(index))}});
  resources_[index] = reply.at("resources").dump();
  loaded_[index] = true;
}

void TimingWorker::load_and_verify(std::uint64_t index, std::uint32_t launches) {
  ensure_loaded(index);
  // A launch a request: each has the whole of the time limit.
  std::int64_t spent_ns = 0;
  for (std::uint32_t pass = 0; pass < launches; ++pass) {
    if (pass >= least_launches && spent_ns > further_launches_ns) return;
    spent_ns += candidate_request(index, {{"op", "verify"}, {"pass", pass}})
                    .at("elapsed_ns")
                    .get<std::int64_t>();
  }
}

std::uint32_t TimingWorker::calibrate(std::uint64_t index) {
  ensure_loaded(index);
  return candidate_request(index, {{"op", "calibrate"}}).at("launches");
}

std::vector<double> TimingWorker::visit(std::uint64_t index, std::uint32_t samples,
                                        std::uint32_t launches) {
  ensure_loaded(index);
  const json reply =
      candidate_request(index, {{"op", "visit"}, {"samples", samples}, {"launches", launches}});
  add_cost(reply);
  if (reply.at("stepped_down").get<bool>()) throw measure::SteppedDown();
  std::vector<double> samples_ns;
  for (const auto &sample : reply.at("samples"))
    samples_ns.push_back(sample.is_number() ? sample.get<double>() : 0.0);
  return samples_ns;
}

void TimingWorker::add_cost(const json &reply) {
  const json &cost = reply.at("cost");
  cost_.warmup_ns += cost.at("warmup").get<std::int64_t>();
  cost_.flush_ns += cost.at("flush").get<std::int64_t>();
  cost_.timed_ns += cost.at("timed").get<std::int64_t>();
}

TimingWorker::EnergyVisit TimingWorker::visit_energy(std::uint64_t index, std::uint32_t launches) {
  ensure_loaded(index);
  const json reply = candidate_request(
      index, {{"op", "energy"}, {"launches", launches}, {"busy_ns", energy_visit_ns}});
  add_cost(reply);
  if (!reply.at("joules_per_launch").is_number())
    throw Failure(BENCH_ERROR_UNSUPPORTED,
                  "the energy of a launch is not to be had: " + reply.value("reason", ""),
                  "objective energy", "tune for time, or on a device that counts its energy");
  return {reply["joules_per_launch"], reply["launch_ns"]};
}

json TimingWorker::measure(std::uint64_t index, bool energy) {
  ensure_loaded(index);
  return candidate_request(index, {{"op", "measure"}, {"energy", energy}});
}

json TimingWorker::telemetry() {
  try {
    start();
    return raw_request({{"op", "telemetry"}});
  } catch (const WorkerDied &) {
    return {{"reason", "the worker ended"}};
  }
}

std::string TimingWorker::resources(std::uint64_t index) const {
  const auto found = resources_.find(index);
  return found == resources_.end() ? "{}" : found->second;
}

void TimingWorker::unload(std::uint64_t index) {
  if (!process_ || !loaded_[index]) return;
  loaded_[index] = false;
  candidate_request(index, {{"op", "unload"}});
}

}  // namespace bench::worker
