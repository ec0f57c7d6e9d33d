// SPDX-License-Identifier: Apache-2.0
#include "recording.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include "temp_dir.hpp"

using namespace bench::recording;
using bench::test::TempDir;

namespace {

const std::string kernel_tuner =
    R"({"device_name":"","kernel_name":"k","problem_size":[1],"tune_params_keys":["b","f","s"],
"tune_params":{"b":[16,2],"f":[0.5],"s":["x"]},"cache":{
"16,0.5,x":{"b":16,"f":0.5,"s":"x","time":2.0,"times":[1.0,2.0,3.0],"compile_time":7.0},
"2,0.5,x":{"b":2,"f":0.5,"s":"x","time":"CompilationFailedConfig","times":[1.0],"compile_time":9.0},
"4,0.5,x":{"time":1e20},
"8,0.5,x":{"b":8.0,"f":0.5,"s":"x","time":4.0},
"1,0.5,x":{"b":1,"f":0.5,"s":"x","__error__":"InvalidConfig","time":1.0}}})";

const std::string t4 =
    R"({"metadata":{"timeunit":"miliseconds"},"schema_version":"1.0.0","results":[
{"configuration":{"b":16,"u":true},"times":{"compilation":3.0,"runtimes":[0.5,0.25]},
 "invalidity":"correct","correctness":1,"measurements":[{"name":"time","value":0.4,"unit":""}]},
{"configuration":{"b":32,"u":false},"times":{"compilation_time":3.0},"invalidity":"runtime",
 "correctness":0,"measurements":[{"name":"time","value":"RuntimeFailedConfig"}]}]})";

const std::string ktt = R"({"Metadata":{"TimeUnit":"Microseconds","Device":"D"},"Results":[
{"Configuration":[{"Name":"b","Value":16}],"Status":"Ok","ComputationResults":[{"Duration":1.5},{"Duration":2.5}]},
{"Configuration":[{"Name":"b","Value":32}],"Status":"ComputationFailed","ComputationResults":[]}]})";

}  // namespace

TEST_CASE("a Kernel Tuner cache is read with its quirks") {
  const Recording r = parse_recording(kernel_tuner, "test");
  CHECK(r.format == "kernel-tuner");
  REQUIRE(r.rows.size() == 5);
  CHECK(r.values[0] == std::vector<std::string>{"1", "2", "4", "8", "16"});
  const Row *row = r.find(std::vector<std::string>{"16", "0.50", "x"});
  REQUIRE(row);
  CHECK(row->samples_ns == std::vector<double>{1e6, 2e6, 3e6});
  CHECK(row->compile_ns == 7e6);
  CHECK(row->mean_ns() == 2e6);
  CHECK(row->median_ns() == 2e6);
  row = r.find(std::vector<std::string>{"2", "0.5", "x"});
  REQUIRE(row);
  CHECK(row->end == End::compile_failed);
  CHECK(row->samples_ns.empty());  // a failed row's numbers are none
  row = r.find(std::vector<std::string>{"4", "0.5", "x"});
  REQUIRE(row);
  CHECK(row->end == End::failed);
  row = r.find(std::vector<std::string>{"8.0", "0.5", "x"});
  REQUIRE(row);
  CHECK(row->samples_ns == std::vector<double>{4e6});
  CHECK(r.find(std::vector<std::string>{"1", "0.5", "x"})->end == End::rejected);
  CHECK(!r.find(std::vector<std::string>{"3", "0.5", "x"}));
}

TEST_CASE("T4 results are read, also with the members that are not in its schema") {
  const Recording r = parse_recording(t4, "test");
  CHECK(r.format == "t4");
  REQUIRE(r.rows.size() == 2);
  const Row *row = r.find(std::vector<std::string>{"16", "1"});
  REQUIRE(row);
  CHECK(row->samples_ns == std::vector<double>{0.5e6, 0.25e6});
  CHECK(row->compile_ns == 3e6);
  CHECK(r.find(std::vector<std::string>{"32", "false"})->end == End::failed);
}

TEST_CASE("KTT output is read, the parts of a composite kernel summed") {
  const Recording r = parse_recording(ktt, "test");
  REQUIRE(r.rows.size() == 2);
  CHECK(r.find(std::vector<std::string>{"16"})->samples_ns == std::vector<double>{4000.0});
  CHECK(r.find(std::vector<std::string>{"32"})->end == End::failed);
}

TEST_CASE("a file that was cut anywhere gives its whole rows and never more") {
  const std::size_t all = parse_recording(kernel_tuner, "test").rows.size();
  std::size_t most = 0;
  for (std::size_t size = 0; size < kernel_tuner.size(); ++size) {
    try {
      const Recording r = parse_recording(kernel_tuner.substr(0, size), "test");
      CHECK(r.rows.size() <= all);
      CHECK(r.rows.size() >= most);
      most = r.rows.size();
      CHECK(r.truncated);
    } catch (const Unreadable &) {
      CHECK(most == 0);
    }
  }
  CHECK(most == all);
}

TEST_CASE("a gzipped file is read, whole or cut") {
  const TempDir folder;
  const auto file = folder.path() / "space.json.gz";
  gzFile out = gzopen(file.c_str(), "wb0");  // stored: a cut loses the end alone
  gzwrite(out, kernel_tuner.data(), static_cast<unsigned>(kernel_tuner.size()));
  gzclose(out);
  CHECK(read_recording(file).rows.size() == 5);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 120);
  const Recording cut = read_recording(file);
  CHECK(cut.truncated);
  CHECK(cut.rows.size() >= 3);
  CHECK(cut.rows.size() < 5);
}

TEST_CASE("what is no recording is refused by name") {
  CHECK_THROWS_AS(parse_recording("{}", "x"), Unreadable);
  CHECK_THROWS_AS(parse_recording("[1, 2", "x"), Unreadable);
  CHECK_THROWS_AS(parse_recording("", "x"), Unreadable);
  CHECK_THROWS_AS(parse_recording(R"({"cache":[],"tune_params_keys":[1]})", "x"), Unreadable);
  CHECK_THROWS_WITH_AS(read_recording("/nonexistent/space.json"),
                       "cannot read the recording /nonexistent/space.json", Unreadable);
}

TEST_CASE("a real space reads the same from its cache and its T4 results") {
  const std::filesystem::path hub = BENCH_HUB_DIR;
  if (!std::filesystem::exists(hub / "t4")) {
    MESSAGE("skipped: no recorded spaces in " << hub.string());
    return;
  }
  const Recording cache = read_recording(hub / "kernel_tuner/convolution_A100.json.gz");
  const Recording results = read_recording(hub / "t4/convolution_A100.json.gz");
  CHECK(cache.rows.size() == 4362);
  REQUIRE(results.rows.size() == cache.rows.size());
  std::size_t failed = 0;
  for (std::size_t i = 0; i < cache.rows.size(); ++i) {
    CHECK(results.rows[i].samples_ns == cache.rows[i].samples_ns);
    failed += cache.rows[i].end != End::measured;
  }
  CHECK(failed > 100);
  CHECK(read_recording(hub / "ktt/pnpoly_RTX_3090.json.gz").rows.size() == 4092);
}
