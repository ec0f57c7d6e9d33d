// SPDX-License-Identifier: Apache-2.0
// How long a problem's space takes to open, how much memory, how fast it is enumerated.
//   bench_space_benchmark FILE...   (each in a child, so that memory is its own)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "../support.hpp"
#include "base/clock.hpp"
#include "problem/problem.hpp"

namespace {

using nlohmann::json;

// Enough to see a rate; a space of 10^9 is not walked to its end.
constexpr std::uint64_t enough = 50'000'000;

double peak_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

json measure(const std::string &file) {
  bench::Clock &clock = bench::system_clock();
  const double before_mib = peak_mib();
  const std::int64_t begun = clock.now_ns();
  const bench::problem::Problem problem = bench::problem::read_problem(file);
  const std::int64_t opened = clock.now_ns();
  const double open_mib = peak_mib();
  std::uint64_t visited = 0, sum = 0;
  std::int64_t walk_ns = 0;
  do {  // small spaces several times: one walk would be over in microseconds
    std::uint64_t left = enough;
    const std::int64_t start = clock.now_ns();
    problem.space.for_each([&](std::span<const std::uint32_t> indices) {
      sum += indices[0] + indices[indices.size() - 1];
      ++visited;
      return --left > 0;
    });
    walk_ns += clock.now_ns() - start;
  } while (walk_ns < 300'000'000);
  return {
      {"file", file.substr(file.rfind('/') + 1)},
      {"raw", problem.space.raw_text()},
      {"valid", problem.space.size()},
      {"open_ms", static_cast<double>(opened - begun) / 1e6},
      {"open_peak_mib", open_mib},
      {"process_mib_before", before_mib},
      {"configurations_per_s", static_cast<double>(visited) / static_cast<double>(walk_ns) * 1e9},
      {"checksum", sum}};
}

}  // namespace

int main(int argc, char **argv) {
  json results = json::array();
  for (int i = 1; i < argc; ++i) {
    int ends[2];
    if (::pipe(ends) != 0) return 1;
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string text = measure(argv[i]).dump();
      ::_exit(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0
                                                                                              : 1);
    }
    ::close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(n));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0) return 1;
    results.push_back(json::parse(text));
  }
  std::cout << json{{"machine", benchmarks::machine()},
                    {"commit", benchmarks::commit()},
                    {"results", results}}
                   .dump(1)
            << "\n";
}
