// SPDX-License-Identifier: Apache-2.0
// Judges a file before it is opened as a library: a truncated one kills the process inside dlopen
// with SIGBUS, and for another CPU the system says "no such file".
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bench::loader {

/// Why a file is no plugin for this machine.
struct ElfFault {
  std::string what;
  std::string hint;
};

struct ElfFile {
  std::optional<ElfFault> fault;
  std::string note;                 // text of the plugin's note, empty if it has none
  std::string build_id;             // hex, may be empty
  std::vector<std::string> needed;  // libraries it links
  bool static_tls = false;          // built with initial-exec TLS: may not fit beside others
};

/// Reads headers only; never runs the file.
ElfFile inspect_elf(const std::string &path);

}  // namespace bench::loader
