// SPDX-License-Identifier: Apache-2.0
// Command-line options of `run` and `tune`, as the API takes them.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "client.hpp"
#include "progress.hpp"

namespace cli {

struct ProblemArguments {
  std::string file;
  std::string device;
  std::string policy = "back-to-back";
  std::string method = "auto";
  bool fresh = false;
  bool no_store = false;
  bool energy = false;
  double lock_clock_mhz = 0;
  bool dry_run = false;
  double eps = 0.0;
  double delta = 0.0;
  double switch_margin = 0.0;
  double max_time_s = 0.0;
  double candidate_timeout_s = 0.0;
  std::uint32_t jobs = 0;
  int pin = -1;
  std::uint64_t seed = 0;
  std::string strategy;
  std::uint64_t max_evaluations = 0;
};

/// Adds the options that `run` and `tune` share.
void add_problem_arguments(CLI::App &command, Common &common, ProblemArguments &arguments);

/// The API's struct; `arguments`, `policy` and `progress` outlive it. Ctrl-C ends the tune in
/// order.
bench_problem_options_v1 problem_options(const ProblemArguments &arguments, bench_policy_v1 &policy,
                                         Progress &progress);

/// Catches SIGINT and SIGTERM from now on; they end the tune and keep what was measured.
void catch_interrupts();
bool interrupted();

}  // namespace cli
