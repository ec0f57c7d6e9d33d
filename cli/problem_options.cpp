// SPDX-License-Identifier: Apache-2.0
#include "problem_options.hpp"

#include <signal.h>

#include <map>

namespace cli {
namespace {

constexpr double ns_per_s = 1e9;
constexpr double hz_per_mhz = 1e6;
volatile sig_atomic_t interrupt_count = 0;

void on_interrupt(int number) {
  interrupt_count = interrupt_count + 1;
  // The second one is a person who does not want to wait.
  if (interrupt_count > 1) {
    ::signal(number, SIG_DFL);
    ::raise(number);
  }
}

const std::map<std::string, std::uint32_t> policies{{"back-to-back", BENCH_POLICY_BACK_TO_BACK},
                                                    {"isolated-hot", BENCH_POLICY_ISOLATED_HOT},
                                                    {"isolated-cold", BENCH_POLICY_ISOLATED_COLD}};
const std::map<std::string, std::uint32_t> methods{{"auto", BENCH_METHOD_UNKNOWN},
                                                   {"event", BENCH_METHOD_EVENT},
                                                   {"gate", BENCH_METHOD_GATE},
                                                   {"graph", BENCH_METHOD_GRAPH},
                                                   {"profiler", BENCH_METHOD_PROFILER}};

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return interrupt_count > 0;
}

void add_problem_arguments(CLI::App &command, Common &common, ProblemArguments &arguments) {
  command.add_option("problem", arguments.file, "T1 problem file (JSON)")->required();
  command.add_option("--device", arguments.device,
                     "device, e.g. cpu:0; default: the first that can run the kernel");
  command.add_option("--policy", arguments.policy, "back-to-back, isolated-hot or isolated-cold")
      ->check(CLI::IsMember({"back-to-back", "isolated-hot", "isolated-cold"}))
      ->capture_default_str();
  command
      .add_option("--method", arguments.method,
                  "how windows are timed: auto, event, gate, graph or profiler")
      ->check(CLI::IsMember({"auto", "event", "gate", "graph", "profiler"}))
      ->capture_default_str();
  command
      .add_option("--timeout", arguments.candidate_timeout_s,
                  "seconds after which a configuration is killed (10)")
      ->check(CLI::PositiveNumber);
  command.add_option("--jobs", arguments.jobs, "compilers at a time (number of cores)");
  command
      .add_option("--pin", arguments.pin,
                  "core that candidates run on, their threads too (class cpu)")
      ->check(CLI::NonNegativeNumber);
  command
      .add_option(
          "--lock-clock", arguments.lock_clock_mhz,
          "MHz that the device is asked to keep meanwhile (needs rights; given back however "
          "it ends)")
      ->check(CLI::PositiveNumber);
  command.add_option("--store", common.store,
                     "file that keeps results (BENCH_STORE, else the user's cache folder)");
  command.add_flag("--no-store", arguments.no_store, "neither read nor write stored results");
  command.add_flag("--quiet", common.quiet, "no progress line");
}

bench_problem_options_v1 problem_options(const ProblemArguments &arguments, bench_policy_v1 &policy,
                                         Progress &progress) {
  policy = bench_policy_v1{};
  policy.struct_size = sizeof policy;
  policy.kind = policies.at(arguments.policy);
  policy.method = methods.at(arguments.method);
  bench_problem_options_v1 options{};
  options.struct_size = sizeof options;
  if (arguments.dry_run) options.flags |= BENCH_PROBLEM_DRY_RUN;
  if (arguments.fresh) options.flags |= BENCH_PROBLEM_FRESH;
  if (arguments.no_store) options.flags |= BENCH_PROBLEM_NO_STORE;
  if (arguments.energy) options.flags |= BENCH_PROBLEM_ENERGY;
  options.device_name = arguments.device.empty() ? nullptr : arguments.device.c_str();
  options.policy = &policy;
  options.eps = arguments.eps;
  options.delta = arguments.delta;
  options.switch_margin = arguments.switch_margin;
  options.max_time_ns = static_cast<std::int64_t>(arguments.max_time_s * ns_per_s);
  options.candidate_timeout_ns =
      static_cast<std::int64_t>(arguments.candidate_timeout_s * ns_per_s);
  options.compile_jobs = arguments.jobs;
  options.seed = arguments.seed;
  options.strategy = arguments.strategy.empty() ? nullptr : arguments.strategy.c_str();
  options.max_evaluations = arguments.max_evaluations;
  options.lock_clock_hz = arguments.lock_clock_mhz * hz_per_mhz;
  options.pin_core = static_cast<std::uint32_t>(arguments.pin + 1);
  options.user = &progress;
  options.progress = [](void *user, const bench_problem_progress_v1 *now) {
    static_cast<Progress *>(user)->show(*now);
  };
  options.should_stop = [](void *) -> std::int32_t { return interrupted() ? 1 : 0; };
  return options;
}

}  // namespace cli
