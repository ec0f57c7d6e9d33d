// SPDX-License-Identifier: Apache-2.0
// What libbench.so shows to the dynamic linker: its own versioned functions, and nothing that an
// older system lacks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::vector<std::string> lines_of(const std::string &command) {
  std::vector<std::string> lines;
  const auto close = [](std::FILE *pipe) { ::pclose(pipe); };
  const std::unique_ptr<std::FILE, decltype(close)> pipe(::popen(command.c_str(), "r"), close);
  REQUIRE(pipe);
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe.get())) lines.emplace_back(buffer);
  return lines;
}

/// "GLIBC_2.34" -> 234; 0 where there is none.
int glibc_version(const std::string &line) {
  const auto at = line.find("GLIBC_2.");
  return at == std::string::npos ? 0 : 200 + std::atoi(line.c_str() + at + 8);
}

}  // namespace

TEST_CASE("only bench_* is exported, each with the version BENCH_0.1") {
  const auto lines = lines_of("nm -D --defined-only --with-symbol-versions " BENCH_LIBRARY);
  int functions = 0;
  for (const std::string &line : lines) {
    std::istringstream words(line);
    std::string address, kind, name;
    words >> address >> kind >> name;
    if (kind == "A") continue;  // the version's own entry
    CHECK_MESSAGE(name.rfind("bench_", 0) == 0, name);
    CHECK_MESSAGE(name.find("@@BENCH_0.1") != std::string::npos, name);
    CHECK_MESSAGE(kind == "T", line);
    ++functions;
  }
  CHECK(functions > 10);
}

TEST_CASE("every function of bench.h is exported") {
  std::string exported;
  for (const std::string &line : lines_of("nm -D --defined-only " BENCH_LIBRARY)) exported += line;
  int declared = 0;
  for (const std::string &line :
       lines_of("grep -ohE '\\bbench_[a-z_]+\\(' " BENCH_HEADER " | tr -d '(' | sort -u")) {
    const std::string name = line.substr(0, line.size() - 1);
    CHECK_MESSAGE(exported.find(" " + name) != std::string::npos, name);
    ++declared;
  }
  CHECK(declared > 10);
}

TEST_CASE("no symbol of a GLIBC newer than 2.34 is asked for") {
  int newest = 0;
  for (const std::string &line : lines_of("objdump -T " BENCH_LIBRARY)) {
    const int version = glibc_version(line);
    CHECK_MESSAGE(version <= 234, line);
    newest = std::max(newest, version);
  }
  CHECK(newest > 0);
}

TEST_CASE("a vendor's driver is no hard dependency, and the C++ library is a dynamic one") {
  std::string needed;
  for (const std::string &line : lines_of("objdump -p " BENCH_LIBRARY " | grep NEEDED"))
    needed += line;
  CHECK(needed.find("libstdc++.so.6") != std::string::npos);
  for (const char *absent : {"cuda", "hip", "ze_loader", "OpenCL", "sqlite", "fmt", "spdlog"})
    CHECK_MESSAGE(needed.find(absent) == std::string::npos, absent);
}
