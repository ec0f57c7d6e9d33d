// SPDX-License-Identifier: Apache-2.0
// Spaces that other tuners measured and kept: every configuration with its raw samples. Reads
// Kernel Tuner cache files, T4 results and KTT output, gzipped or not, cut short or whole. Stands
// on JSON and zlib alone, so that the plugin, the benchmarks and the program share it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace bench::recording {

enum class End : std::uint8_t { measured, rejected, compile_failed, failed, timeout, wrong_output };

struct Row {
  std::vector<std::uint16_t> values;  // positions in Recording::values
  End end = End::measured;
  std::string reason;              // of a row that is not measured, as the file has it
  std::vector<double> samples_ns;  // in the order they were taken; all finite and above zero
  double compile_ns = 0.0;         // 0 = not known

  double mean_ns() const;
  double median_ns() const;
};

struct Recording {
  std::string format;  // "kernel-tuner", "t4", "ktt"
  std::string device, kernel;
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> values;  // of each name, as canonical texts
  std::vector<Row> rows;
  std::uint64_t skipped = 0;       // rows that could not be understood
  bool truncated = false;          // the file ended early: its whole rows are here
  std::vector<std::string> notes;  // what was odd

  /// The row with these texts, in the order of `names`; NULL if it was not recorded.
  const Row *find(const std::vector<std::string> &texts) const;
  const Row *find(const std::vector<std::uint16_t> &positions) const;
  std::string text_of(const Row &row) const;

  std::unordered_map<std::string, std::uint32_t> index;  // key() to position in rows
  static std::string key(const std::vector<std::uint16_t> &positions);
};

class Unreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Opens read-only. Throws Unreadable: no such file, or nothing of these formats in it.
Recording read_recording(const std::filesystem::path &file);
Recording parse_recording(const std::string &text, const std::string &origin);

/// 64, 64.0 and "64" are one value, true is 1: formats differ in how they write the same one.
std::string canonical_text(const std::string &text);

}  // namespace bench::recording
