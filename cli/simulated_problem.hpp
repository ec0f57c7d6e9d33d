// SPDX-License-Identifier: Apache-2.0
// A problem file as a recorded space: its configurations with the times that a sim program gives
// them, or that somebody recorded.
#pragma once
#include <string>

#include "recording.hpp"

namespace cli {

/// Whether the file is a problem (JSON with a ConfigurationSpace) and no recording.
bool is_problem(const std::string &file);

/// `times` names a recording of the problem's kernel; empty: its Language is sim, and its program
/// tells. What the recording does not have counts as failed. Throws Failed.
bench::recording::Recording recording_of_problem(const std::string &file, const std::string &times);

}  // namespace cli
