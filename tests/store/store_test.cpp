// SPDX-License-Identifier: Apache-2.0
#include "store/store.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "base/error.hpp"
#include "store_support.hpp"

using namespace bench::store;
using namespace store_support;

TEST_CASE("a result comes back whole, in another store object") {
  Folder folder;
  Store(folder.file()).put(tuned());
  const Found found = Store(folder.file()).find(identity(), environment(), "n=1024");
  REQUIRE(found.match == Match::fresh);
  CHECK(found.differences.empty());
  REQUIRE(found.tuned->entries.size() == 2);
  CHECK(found.tuned->entries[1].index == 2);
  CHECK(found.tuned->entries[1].median_ns.value() == 102.125);
  CHECK(found.tuned->entries[1].interval_ns->hi == 101.5);
  CHECK(found.tuned->entries[1].verified);
  CHECK(found.tuned->winner == "{\"tile\":1}");
  CHECK(found.tuned->default_configuration == "{\"tile\":2}");
  CHECK(found.tuned->tie_set == std::vector<std::string>{"{\"tile\":1}"});
  CHECK(found.tuned->eps_reached.value() == 0.01);
  CHECK(found.tuned->delta == 0.05);
  CHECK(found.tuned->created_utc == "2026-01-02T03:04:05Z");
}

TEST_CASE("a missing file is a silent miss and is not created by looking") {
  Folder folder;
  Lines lines;
  CHECK(Store(folder.file(), &lines.log).find(identity(), environment(), "").match == Match::miss);
  CHECK(lines.lines.empty());
  CHECK_FALSE(std::filesystem::exists(folder.file()));
}

TEST_CASE("every field of the identity and the key must match") {
  Folder folder;
  Store store(folder.file());
  store.put(tuned());
  for (std::string Identity::*field : {&Identity::problem, &Identity::space, &Identity::dtypes,
                                       &Identity::device, &Identity::plugin, &Identity::policy}) {
    Identity other = identity();
    other.*field += "x";
    CHECK(store.find(other, environment(), "n=1024").match == Match::miss);
  }
  CHECK(store.find(identity(), environment(), "n=1").match == Match::miss);
}

TEST_CASE("another environment is stale and says what differs; the exact one wins") {
  Folder folder;
  Store store(folder.file());
  store.put(tuned("550"));
  const Found stale = store.find(identity(), environment("580"), "n=1024");
  CHECK(stale.match == Match::stale);
  CHECK(stale.differences == std::vector<std::string>{"driver: 550 -> 580"});
  store.put(tuned("560"));
  CHECK(store.find(identity(), environment("580"), "n=1024").tuned->environment.driver == "560");
  CHECK(store.find(identity(), environment("550"), "n=1024").match == Match::fresh);
}

TEST_CASE("a second result replaces the first") {
  Folder folder;
  Store store(folder.file());
  store.put(tuned());
  Tuned second = tuned();
  second.stop_reason = "budget";
  store.put(second);
  REQUIRE(store.list().size() == 1);
  CHECK(store.list()[0].stop_reason == "budget");
}

TEST_CASE("the journal keeps entries in order, until the result is there") {
  Folder folder;
  Store store(folder.file());
  store.put_entry(identity(), environment(), "n=1024", entry(7));
  store.put_entry(identity(), environment(), "n=1024", entry(3));
  store.put_entry(identity(), environment(), "other", entry(9));
  const auto entries = store.entries(identity(), environment(), "n=1024");
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].index == 3);
  CHECK(entries[1].median_ns.value() == 107.125);
  CHECK(store.entries(identity(), environment("580"), "n=1024").empty());
  store.put(tuned());
  CHECK(store.entries(identity(), environment(), "n=1024").empty());
  CHECK(store.entries(identity(), environment(), "other").size() == 1);
}

TEST_CASE("remove forgets the key in every environment and counts results") {
  Folder folder;
  Store store(folder.file());
  CHECK(store.remove(identity(), "n=1024") == 0);
  CHECK_FALSE(std::filesystem::exists(folder.file()));
  store.put(tuned("550"));
  store.put(tuned("580"));
  store.put_entry(identity(), environment(), "n=1024", entry(1));
  CHECK(store.remove(identity(), "n=1024") == 2);
  CHECK(store.list().empty());
  CHECK(store.entries(identity(), environment(), "n=1024").empty());
}

TEST_CASE("numbers that are not finite and bytes that are no UTF-8 do not lose a result") {
  Folder folder;
  Store store(folder.file());
  Entry odd = entry(1);
  odd.median_ns = std::numeric_limits<double>::quiet_NaN();
  odd.interval_ns->hi = std::numeric_limits<double>::infinity();
  odd.error = "bad \xff byte";
  Environment strange = environment("dr\xfeiver");
  store.put_entry(identity(), strange, "", odd);
  const auto entries = store.entries(identity(), strange, "");
  REQUIRE(entries.size() == 1);
  CHECK_FALSE(entries[0].median_ns.has_value());
  CHECK_FALSE(entries[0].interval_ns.has_value());
  CHECK(entries[0].error.find("bad ") == 0);
  Tuned result = tuned("dr\xfeiver");
  store.put(result);
  CHECK(store.find(identity(), strange, "n=1024").match == Match::fresh);
}

TEST_CASE("text is data: quotes and SQL in a key") {
  Folder folder;
  Store store(folder.file());
  Tuned result = tuned();
  result.key = "'; DROP TABLE result; --\"";
  store.put(result);
  CHECK(store.find(identity(), environment(), result.key).match == Match::fresh);
}
