// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <regex>
#include <set>

#include "base/file.hpp"

TEST_CASE("every code of the loader is explained in docs/loader_codes.md, and no other") {
  const auto codes = [](const std::string &path) {
    const auto text = bench::read_file(BENCH_TEST_SOURCE_DIR + ("/" + path));
    REQUIRE_MESSAGE(text, path);
    std::set<std::string> found;
    const std::regex pattern("BENCH-L[0-9]{3}");
    for (std::sregex_iterator at(text->begin(), text->end(), pattern), end; at != end; ++at)
      found.insert(at->str());
    return found;
  };
  const auto declared = codes("core/src/loader/diagnostics.hpp");
  CHECK(declared.size() > 20);
  CHECK(declared == codes("docs/loader_codes.md"));
}
