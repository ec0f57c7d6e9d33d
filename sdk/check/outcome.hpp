// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "check.hpp"

namespace check {

/// Five different words: a crash is no broken rule that was seen, a skip is no pass.
enum class Verdict { pass, fail, crash, warn, skip };
const char *word(Verdict verdict);

struct Outcome {
  Check check;
  Verdict verdict;
  std::string text;  // why, empty for pass
  double seconds;
};

/// Runs one check in a child process, which is killed at the time limit.
Outcome run_alone(const Check &check, const Options &options);

/// The command that runs this check again alone.
std::string reproduce(const Outcome &outcome, const Options &options);

std::string as_text(const std::vector<Outcome> &outcomes, const Options &options);
std::string as_json(const std::vector<Outcome> &outcomes, const Options &options);
std::string as_junit(const std::vector<Outcome> &outcomes, const Options &options);

}  // namespace check
