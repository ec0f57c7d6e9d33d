// SPDX-License-Identifier: Apache-2.0
#include "loader/probe_cache.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "loader/diagnostics.hpp"
#include "zoo.hpp"

using namespace bench::loader;
using bench::test::Zoo;

namespace {

std::size_t lines(Registry &registry, const char *code) {
  const auto story = registry.story();
  return static_cast<std::size_t>(std::count_if(
      story.begin(), story.end(), [&](const Line &line) { return line.code == code; }));
}

}  // namespace

TEST_CASE("the second start runs no child; a changed file is asked again") {
  Zoo zoo;
  const auto path = zoo.admit("good");
  {
    Registry first(zoo.options());
    CHECK(lines(first, code::probed) == 1);
  }
  {
    Registry second(zoo.options());
    CHECK(lines(second, code::probed) == 0);
    CHECK(lines(second, code::from_cache) == 1);
    CHECK(second.devices()[0].usable);
    CHECK(std::string(second.devices()[0].info.name) == "an animal");
  }
  std::filesystem::last_write_time(
      path, std::filesystem::last_write_time(path) + std::chrono::seconds(5));
  Registry third(zoo.options());
  CHECK(lines(third, code::probed) == 1);
  struct stat status {};
  REQUIRE(::stat((zoo.folder.path() / "cache").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
}

TEST_CASE("what an answer depends on is part of its key: devices hidden, another driver in sight") {
  for (const char *name : {"SOME_VISIBLE_DEVICES", "SOME_AFFINITY_MASK", "LD_LIBRARY_PATH"}) {
    CAPTURE(name);
    const char *before = std::getenv(name);
    const std::string kept = before ? before : "";
    Zoo zoo;
    zoo.admit("good");
    { Registry(zoo.options()).discover(); }
    ::setenv(name, "/elsewhere", 1);
    Registry changed(zoo.options());
    CHECK(lines(changed, code::probed) == 1);
    if (before)
      ::setenv(name, kept.c_str(), 1);
    else
      ::unsetenv(name);
  }
}

TEST_CASE(
    "the cache holds no permission: a file that became writable by all is refused all the same") {
  Zoo zoo;
  const auto path = zoo.admit("good");
  CHECK(Registry(zoo.options()).discover()[0].state == State::probed);
  std::filesystem::permissions(path, std::filesystem::perms::all);
  CHECK(Registry(zoo.options()).discover()[0].code == code::world_writable);
}

TEST_CASE("a damaged cache, and one that others may write, is as good as none") {
  Zoo zoo;
  zoo.admit("good");
  { Registry(zoo.options()).discover(); }
  for (const char *text : {"", "{", "[]", "{\"format\":1,\"entries\":3}",
                           "{\"format\":1,\"entries\":{\"x\":3}}", "\xff\xff"}) {
    zoo.folder.write("cache/probes.json", text);
    Registry registry(zoo.options());
    CHECK(registry.discover()[0].state == State::probed);
    CHECK(lines(registry, code::probed) == 1);
  }
  std::filesystem::permissions(zoo.folder.path() / "cache", std::filesystem::perms::all);
  Registry registry(zoo.options());
  CHECK(lines(registry, code::probed) == 1);
}

TEST_CASE("entries of the wrong types are as good as none") {
  Zoo zoo;
  const std::string path = zoo.admit("good").string();
  const auto key = probe_key(path, "");
  REQUIRE(key);
  { Registry(zoo.options()).discover(); }
  const std::string entry = "{\"format\":1,\"entries\":{\"" + path + "\":{\"stamp\":";
  const std::string stamp = "\"" + key->stamp + "\"";
  for (const std::string &text :
       {std::string("{\"format\":\"1\",\"entries\":{}}"), entry + "7,\"report\":\"{}\"}}}",
        entry + stamp + ",\"report\":[]}}}",
        entry + stamp + ",\"report\":\"{}\",\"expires\":\"soon\"}}}",
        entry + stamp + ",\"report\":\"{}\",\"expires\":0}}}",
        entry + stamp + ",\"report\":\"cut {\",\"expires\":0}}}"}) {
    CAPTURE(text);
    zoo.folder.write("cache/probes.json", text);
    Registry registry(zoo.options());
    CHECK(registry.discover()[0].state == State::probed);
    CHECK(lines(registry, code::probed) == 1);
  }
}

TEST_CASE("what found nothing usable is remembered for minutes only") {
  Zoo zoo;
  const auto path = zoo.admit("no_driver");
  const auto key = probe_key(path.string(), "");
  REQUIRE(key);
  ProbeCache cache((zoo.folder.path() / "cache").string());
  cache.put(*key, "{}", true);
  CHECK(cache.find(*key) == "{}");
  ProbeKey other = *key;
  other.stamp += "x";
  CHECK_FALSE(cache.find(other));
}
