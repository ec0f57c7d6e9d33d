// SPDX-License-Identifier: Apache-2.0
// What every benchmark prints beside its figures.
#pragma once
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

namespace benchmarks {

inline nlohmann::json machine() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, model = "unknown";
  while (std::getline(file, line)) {
    if (line.rfind("model name", 0) == 0) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  }
  return {
      {"cpu", model}, {"cores", std::thread::hardware_concurrency()}, {"compiler", __VERSION__}};
}

inline std::string commit() {
  const char *value = std::getenv("BENCH_COMMIT");
  return value ? value : "unknown";
}

}  // namespace benchmarks
