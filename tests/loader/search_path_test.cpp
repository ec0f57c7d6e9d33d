// SPDX-License-Identifier: Apache-2.0
#include "loader/search_path.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include "loader/diagnostics.hpp"
#include "zoo.hpp"

using namespace bench::loader;
using bench::test::Zoo;

namespace {

std::vector<std::string> names(const std::vector<Candidate> &candidates) {
  std::vector<std::string> result;
  for (const auto &candidate : candidates)
    result.push_back(std::filesystem::path(candidate.path).filename().string());
  return result;
}

bool told(const std::vector<Line> &story, const char *code, const std::string &path) {
  for (const Line &line : story) {
    if (line.code == code && line.path == path) return true;
  }
  return false;
}

struct Variable {
  Variable(const char *name, const std::string &value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_); }
  const char *name_;
};

}  // namespace

TEST_CASE("only libbench_<device>.so counts, sorted by bytes, not recursive") {
  Zoo zoo;
  for (const char *name :
       {"libbench_b.so", "libbench_a.so", "libbench_.so", "libbench_A.so", "libbench_core.so.1",
        "libother.so", ".libbench_x.so", "below/libbench_c.so"}) {
    zoo.folder.write(std::string("plugins/") + name, "x");
  }
  std::vector<Line> story;
  CHECK(names(find_candidates(zoo.options(), story)) ==
        std::vector<std::string>{"libbench_a.so", "libbench_b.so"});
  CHECK(told(story, code::searched, zoo.plugins().string()));
  CHECK(device_of_file_name("/x/libbench_my-npu_2.so") == "my-npu_2");
}

TEST_CASE("relative elements are refused with a line, absent folders are told quietly") {
  Zoo zoo;
  Options options = zoo.options();
  options.paths = {"plugins", "/nowhere/at/all", zoo.plugins().string()};
  std::vector<Line> story;
  find_candidates(options, story);
  CHECK(told(story, code::element_relative, "plugins"));
  CHECK(told(story, code::folder_absent, "/nowhere/at/all"));
}

TEST_CASE("the environment adds in front of the defaults, or replaces them, or is switched off") {
  Zoo zoo;
  zoo.folder.write("plugins/libbench_api.so", "x");
  zoo.folder.write("first/libbench_env.so", "x");
  zoo.folder.write("system/libbench_sys.so", "x");
  zoo.folder.write("lib/bench/plugins-1/libbench_def.so", "x");
  Options options = zoo.options();
  options.libdir = (zoo.folder.path() / "lib").string();
  options.use_environment = true;
  const Variable path("BENCH_PLUGIN_PATH", (zoo.folder.path() / "first").string());
  std::vector<Line> story;
  CHECK(names(find_candidates(options, story)) ==
        std::vector<std::string>{"libbench_api.so", "libbench_env.so", "libbench_def.so"});
  {
    const Variable system("BENCH_PLUGIN_SYSTEM_PATH", (zoo.folder.path() / "system").string());
    CHECK(names(find_candidates(options, story)) ==
          std::vector<std::string>{"libbench_api.so", "libbench_env.so", "libbench_sys.so"});
  }
  {
    const Variable none("BENCH_PLUGIN_SYSTEM_PATH", "");
    CHECK(names(find_candidates(options, story)) ==
          std::vector<std::string>{"libbench_api.so", "libbench_env.so"});
  }
  options.use_environment = false;
  CHECK(names(find_candidates(options, story)) ==
        std::vector<std::string>{"libbench_api.so", "libbench_def.so"});
}

TEST_CASE("an element may be a file of any name") {
  Zoo zoo;
  Options options = zoo.options();
  options.paths = {zoo.folder.write("mine.so", "x").string()};
  std::vector<Line> story;
  CHECK(names(find_candidates(options, story)) == std::vector<std::string>{"mine.so"});
}

TEST_CASE("a folder that everybody may write is refused; the switch lets it pass") {
  Zoo zoo;
  zoo.folder.write("plugins/libbench_a.so", "x");
  std::filesystem::permissions(zoo.plugins(), std::filesystem::perms::all);
  std::vector<Line> story;
  CHECK(find_candidates(zoo.options(), story).empty());
  REQUIRE(told(story, code::world_writable, zoo.plugins().string()));
  for (const Line &line : story) {
    if (line.code == code::world_writable)
      CHECK(line.hint.find("--allow-world-writable") != std::string::npos);
  }
  Options options = zoo.options();
  options.allow_world_writable = true;
  CHECK(find_candidates(options, story).size() == 1);
}

TEST_CASE("the class filter: minus leaves out, any positive name makes an allow-list") {
  CHECK(ClassFilter("").allows("cuda"));
  CHECK_FALSE(ClassFilter("-hip").allows("hip"));
  CHECK(ClassFilter("-hip").allows("cuda"));
  CHECK(ClassFilter("cuda, -hip").allows("cuda"));
  CHECK_FALSE(ClassFilter("cuda,-hip").allows("cpu"));
  CHECK(ClassFilter("*,-hip").allows("cpu"));
}
