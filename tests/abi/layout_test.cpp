// SPDX-License-Identifier: Apache-2.0
// The rules of plugin_v1.h that hold for the layout as a whole, checked on layout.json.
#include <bench/ext/kernel_layout.h>
#include <bench/plugin_v1_layout.h>
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

using nlohmann::json;

namespace {

const json &layout() {
  static const json parsed = [] {
    std::ifstream file(std::string(BENCH_TEST_SOURCE_DIR) + "/sdk/abi/layout.json");
    return json::parse(file);
  }();
  return parsed;
}

}  // namespace

TEST_CASE("members follow each other without a gap and fill their struct") {
  int structs = 0;
  for (const json &header : layout().at("headers")) {
    for (const json &entry : header.at("structs")) {
      CAPTURE(entry.at("name").get<std::string>());
      std::size_t at = 0;
      for (const json &member : entry.at("members")) {
        CHECK(member.at("offset").get<std::size_t>() == at);
        at += member.at("size").get<std::size_t>();
      }
      CHECK(entry.at("size").get<std::size_t>() == at);
      CHECK(entry.at("size").get<std::size_t>() >= entry.at("first_size").get<std::size_t>());
      ++structs;
    }
  }
  CHECK(structs > 15);
}

TEST_CASE("every struct begins with its size, but the frozen ones have none") {
  for (const json &header : layout().at("headers")) {
    for (const json &entry : header.at("structs")) {
      CAPTURE(entry.at("name").get<std::string>());
      const bool has_size = entry.at("members").at(0).at("name") == "struct_size";
      CHECK(has_size != entry.at("frozen").get<bool>());
      if (has_size) CHECK(entry.at("members").at(0).at("size") == 4);
    }
  }
}

TEST_CASE("BENCH_HAS looks at the allocator's size only") {
  bench_params_v1 params{};
  params.struct_size = BENCH_SIZE_1_0_PARAMS;
  CHECK(BENCH_HAS(&params, should_stop_user));
  params.struct_size = offsetof(bench_params_v1, should_stop_user) + sizeof(void *) - 1;
  CHECK_FALSE(BENCH_HAS(&params, should_stop_user));
  CHECK(BENCH_HAS(&params, should_stop));
}
