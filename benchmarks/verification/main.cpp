// SPDX-License-Identifier: Apache-2.0
// How long the comparison of an output takes, beside memcmp of the same bytes: where all bits
// agree, where every element is rounded otherwise, and where it takes a rule of its own.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "../support.hpp"
#include "worker/compare.hpp"

namespace {

using namespace bench;

/// The shortest of a few, in seconds.
template <typename Body>
double seconds(Body &&body) {
  constexpr int repeats = 5;
  double best = 1e9;
  for (int i = 0; i < repeats; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
    best = std::min(best, spent.count());
  }
  return best;
}

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T> &values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T>
nlohmann::json measure(const char *type, std::size_t count) {
  problem::Argument argument;
  argument.name = "out";
  argument.type = *problem::find_data_type(type);
  std::vector<T> values(count), rounded(count);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<T, std::uint16_t>) {
      values[i] = static_cast<T>(0x3c00 + i % 101);  // 1.0 as binary16, and some above
      rounded[i] = static_cast<T>(values[i] + 1);
    } else {
      values[i] = static_cast<T>(1 + i % 101);
      rounded[i] = static_cast<T>(values[i] * (1 + (sizeof(T) > 4 ? 1e-10 : 1e-6)));
    }
  }
  const worker::Expected expected(argument, bytes_of(values));
  const auto same = bytes_of(values), other = bytes_of(rounded);
  const auto compare = [&](const std::vector<std::byte> &actual,
                           std::optional<problem::ValidationMethod> method) {
    return seconds([&] {
      if (worker::compare(argument, {0, method, 1e-3}, actual, expected)) std::abort();
    });
  };
  volatile int sink = 0;
  nlohmann::json row{{"type", type}, {"elements", count}, {"bytes", same.size()}};
  row["memcmp_s"] =
      seconds([&] { sink = std::memcmp(same.data(), expected.bytes.data(), same.size()); });
  row["equal_s"] = compare(same, std::nullopt);
  row["rounded_s"] = compare(other, std::nullopt);
  row["rounded_relative_s"] = compare(other, problem::ValidationMethod::each_relative);
  return row;
}

}  // namespace

int main(int argc, char **argv) {
  const std::size_t largest = std::size_t{1}
                              << std::clamp(argc > 1 ? std::atoi(argv[1]) : 24, 10, 32);
  nlohmann::json rows = nlohmann::json::array();
  rows.push_back(measure<float>("float", largest / 16));
  rows.push_back(measure<float>("float", largest));
  rows.push_back(measure<double>("double", largest / 2));
  rows.push_back(measure<std::uint16_t>("half", largest));
  const nlohmann::json document{
      {"machine", benchmarks::machine()}, {"commit", benchmarks::commit()}, {"rows", rows}};
  std::printf("%s\n", document.dump(1).c_str());
}
