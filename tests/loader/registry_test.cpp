// SPDX-License-Identifier: Apache-2.0
#include "loader/registry.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>

#include <algorithm>

#include "loader/diagnostics.hpp"
#include "zoo.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace bench::loader;
using bench::Failure;
using bench::test::animal;
using bench::test::find;
using bench::test::Zoo;

namespace {

struct Expected {
  const char *kind;
  State state;
  const char *code;
  const char *says;
};

// The promise of the loader, one line an animal.
const Expected expected[] = {
    {"exits", State::failed, code::probe_exited, "exit status 3"},
    {"aborts", State::failed, code::probe_crashed, "SIGABRT"},
    {"segfaults", State::failed, code::probe_crashed, "SIGSEGV"},
    {"hangs", State::failed, code::probe_hung, "1000 ms"},
    {"closes_and_hangs", State::failed, code::probe_hung, "1000 ms"},
    {"hangs_in_list", State::failed, code::probe_hung, "1000 ms"},
    {"crashes_in_list", State::failed, code::probe_crashed, "SIGSEGV"},
    {"throws", State::failed, code::entry_refused, "the cage is open"},
    {"no_entry", State::failed, code::no_entry, "bench_plugin_v1"},
    {"entry_null", State::failed, code::entry_refused, "closed today"},
    {"size_zero", State::failed, code::table_bad, "struct_size 0"},
    {"needs_newer", State::failed, code::incompatible, "1.99"},
    {"no_classes", State::failed, code::table_bad, "no device class"},
    {"bad_class", State::failed, code::table_bad, "Bad Class"},
    {"nothing_to_do", State::failed, code::table_bad, "neither do_bench nor"},
    {"undefined", State::failed, code::open_failed, "zoo_symbol_that_nobody_has"},
    {"dependency", State::failed, code::dependency_missing, "libzoo_lost.so"},
    {"no_driver", State::probed, code::no_device, "libzoo.so.1"},
};

const Line *line_of(const std::vector<Line> &story, const char *code, const std::string &path) {
  for (const Line &line : story) {
    if (line.code == code && line.path == path) return &line;
  }
  return nullptr;
}

std::string lower(std::string text) {
  for (char &c : text) c = static_cast<char>(std::tolower(c));
  return text;
}

}  // namespace

TEST_CASE("each bad plugin costs only itself, and its line says what, where and what to do") {
  for (const Expected &one : expected) {
    CAPTURE(one.kind);
    Zoo zoo;
    const std::string path = zoo.admit(one.kind).string();
    zoo.admit("good");
    Registry registry(zoo.options());
    const auto &records = registry.discover();
    const PluginRecord *bad = find(records, std::string("libbench_") + one.kind + ".so");
    REQUIRE(bad);
    CHECK(std::string(state_name(bad->state)) == state_name(one.state));
    CHECK(bad->code == one.code);
    CHECK_MESSAGE(bad->reason.find(one.says) != std::string::npos, bad->reason);
    const auto story = registry.story();
    const Line *line = line_of(story, one.code, path);
    REQUIRE(line);
    CHECK_FALSE(line->what.empty());
    if (one.state != State::probed) CHECK_FALSE(line->hint.empty());
    CHECK(registry.plugin_for_class("good").id == "org.bench.zoo.good");
    CHECK_THROWS_AS(registry.plugin_for_class(one.kind), Failure);
  }
}

TEST_CASE("files that are no plugins are refused before they are opened") {
  Zoo zoo;
  zoo.admit("good");
  zoo.folder.write("plugins/libbench_text.so", "not a library");
  zoo.folder.write("plugins/libbench_empty.so", "");
  std::filesystem::create_directory(zoo.plugins() / "libbench_folder.so");
  std::filesystem::create_symlink("/nowhere", zoo.plugins() / "libbench_dangling.so");
  const auto cut = zoo.admit("prints", "libbench_cut.so");
  std::filesystem::resize_file(cut, 3000);
  Registry registry(zoo.options());
  const auto &records = registry.discover();
  for (const char *name : {"text", "empty", "folder", "dangling", "cut"}) {
    const PluginRecord *record = find(records, std::string("libbench_") + name + ".so");
    REQUIRE_MESSAGE(record, name);
    CHECK(record->state == State::refused);
    CHECK(record->code == code::not_elf);
  }
  CHECK(registry.plugin_for_class("good").id == "org.bench.zoo.good");
}

TEST_CASE("a plugin that prints is usable, and its text goes nowhere but into a line") {
  Zoo zoo;
  const std::string path = zoo.admit("prints").string();
  Registry registry(zoo.options());
  CHECK(registry.discover()[0].state == State::probed);
  const auto story = registry.story();
  const Line *line = line_of(story, code::printed, path);
  REQUIRE(line);
  CHECK(line->what.find("Welcome to the zoo") != std::string::npos);
}

TEST_CASE("a healthy story is calm") {
  Zoo zoo;
  zoo.admit("good");
  Registry registry(zoo.options());
  for (const Line &line : registry.story()) {
    for (const char *word : {"error", "fail", "not found"})
      CHECK_MESSAGE(lower(line.what + line.hint).find(word) == std::string::npos, line.what);
  }
}

TEST_CASE("copies of one plugin are known by inode, build-id and id") {
  Zoo zoo;
  zoo.admit("good");
  std::filesystem::create_symlink(zoo.plugins() / "libbench_good.so",
                                  zoo.plugins() / "libbench_link.so");
  zoo.admit("good", "libbench_zcopy.so");
  zoo.admit("twin");
  Registry registry(zoo.options());
  const auto &records = registry.discover();
  for (const char *name : {"libbench_link.so", "libbench_zcopy.so", "libbench_twin.so"}) {
    const PluginRecord *record = find(records, name);
    REQUIRE(record);
    CHECK_MESSAGE(record->state == State::shadowed, name);
    CHECK(record->code == code::duplicate);
  }
  CHECK(registry.devices().size() == 1);
}

TEST_CASE("a plugin without a device gives its reason, and shadows nobody") {
  Zoo zoo;
  zoo.admit("no_driver");
  zoo.admit("good");
  Registry registry(zoo.options());
  const auto devices = registry.devices();
  REQUIRE(devices.size() == 2);
  const auto absent = std::find_if(devices.begin(), devices.end(),
                                   [](const auto &d) { return d.class_name == "no_driver"; });
  REQUIRE(absent != devices.end());
  CHECK_FALSE(absent->usable);
  CHECK(absent->reason.find("install the zoo's driver") != std::string::npos);
  try {
    registry.plugin_for_class("no_driver");
    FAIL("no failure");
  } catch (const Failure &failure) {
    CHECK(failure.status() == BENCH_ERROR_NO_DEVICE);
    CHECK(failure.text().what.find("libzoo.so.1") != std::string::npos);
  }
}

TEST_CASE("BENCH_PLUGINS leaves classes out before they are run") {
  Zoo zoo;
  zoo.admit("good");
  zoo.admit("exits");
  Options options = zoo.options();
  options.use_environment = true;
  ::setenv("BENCH_PLUGIN_SYSTEM_PATH", "", 1);
  ::setenv("BENCH_PLUGINS", "-exits", 1);
  Registry registry(options);
  const auto records = registry.discover();
  ::unsetenv("BENCH_PLUGINS");
  ::unsetenv("BENCH_PLUGIN_SYSTEM_PATH");
  REQUIRE(find(records, "libbench_exits.so"));
  CHECK(find(records, "libbench_exits.so")->state == State::filtered);
  CHECK(find(records, "libbench_good.so")->state == State::probed);
}

TEST_CASE("by notes only no plugin is run, and none serves a class") {
  Zoo zoo;
  const std::string path = zoo.admit("segfaults").string();
  zoo.admit("good");
  Options options = zoo.options();
  options.notes_only = true;
  Registry registry(options);
  const auto &records = registry.discover();
  REQUIRE(records.size() == 2);
  for (const PluginRecord &record : records) CHECK(record.state == State::found);
  const PluginRecord *one = find(records, "libbench_segfaults.so");
  REQUIRE(one);
  CHECK(one->reason.find("no description") != std::string::npos);
  CHECK(one->classes == std::vector<std::string>{"segfaults"});
  CHECK(line_of(registry.story(), code::probed, path) == nullptr);
  CHECK_THROWS_AS(registry.plugin_for_class("good"), Failure);
}

TEST_CASE("a file that everybody may write is refused; the switch lets it pass") {
  Zoo zoo;
  std::filesystem::permissions(zoo.admit("good"), std::filesystem::perms::all);
  Registry strict(zoo.options());
  CHECK(strict.discover()[0].code == code::world_writable);
  CHECK(strict.discover()[0].reason.find("chmod") != std::string::npos);
  Options options = zoo.options();
  options.allow_world_writable = true;
  Registry lenient(options);
  CHECK(lenient.discover()[0].state == State::probed);
}

TEST_CASE("classes without a DLPack number get one in this process; names are parsed with care") {
  Zoo zoo;
  zoo.admit("good");
  Registry registry(zoo.options());
  const bench_device_v1 device = registry.parse_device("good:0");
  CHECK(device.type >= 65536);
  CHECK(registry.class_name(device.type) == "good");
  CHECK(registry.class_name(BENCH_DEVICE_EXT) == "good");  // the only one that claims it
  CHECK(registry.plugin_for_device(device).native(device).type == BENCH_DEVICE_EXT);
  CHECK(registry.parse_device("good").id == 0);
  for (const char *text :
       {"", ":0", "good:", "good:-1", "good:x", "good:7", "nobody:0", "good:99999999999"}) {
    CAPTURE(text);
    try {
      registry.parse_device(text);
      FAIL("no failure");
    } catch (const Failure &failure) {
      CHECK_FALSE(failure.text().hint.empty());
    }
  }
}

TEST_CASE("without a helper a plugin is probed in this process, with a line") {
  Zoo zoo;
  const std::string path = zoo.admit("good").string();
  Options options = zoo.options();
  options.helper_dir = zoo.folder.path().string();
  Registry registry(options);
  CHECK(registry.discover()[0].state == State::probed);
  const auto story = registry.story();
  CHECK(line_of(story, code::no_helper, path));
}

TEST_CASE("without a helper an exception from a plugin's entry costs only that plugin") {
  Zoo zoo;
  zoo.admit("throws");
  zoo.admit("good");
  Options options = zoo.options();
  options.helper_dir = zoo.folder.path().string();
  Registry registry(options);
  const auto &records = registry.discover();
  const PluginRecord *bad = find(records, "libbench_throws.so");
  REQUIRE(bad);
  CHECK(bad->state == State::failed);
  CHECK(bad->code == code::entry_refused);
  CHECK_MESSAGE(bad->reason.find("the cage is open") != std::string::npos, bad->reason);
  CHECK(registry.plugin_for_class("good").id == "org.bench.zoo.good");
}

TEST_CASE("a process that a plugin leaves behind neither hides its answer nor survives") {
  Zoo zoo;
  zoo.admit("leaves_child");
  Registry registry(zoo.options());
  const PluginRecord &record = registry.discover()[0];
  CHECK_MESSAGE(record.state == State::probed, record.reason);
}

TEST_CASE("a host that lets the system reap its children gets the answer all the same") {
  Zoo zoo;
  zoo.admit("good");
  void (*const before)(int) = ::signal(SIGCHLD, SIG_IGN);
  Registry registry(zoo.options());
  const PluginRecord &record = registry.discover()[0];
  ::signal(SIGCHLD, before);
  CHECK_MESSAGE(record.state == State::probed, record.reason);
}

TEST_CASE("within a folder the higher score serves the class; between folders the order does") {
  Zoo zoo;
  const std::string low = zoo.admit("low").string(), high = zoo.admit("high").string();
  {
    Registry registry(zoo.options());
    const auto &records = registry.discover();
    CHECK(find(records, "libbench_low.so")->state == State::shadowed);
    CHECK(find(records, "libbench_low.so")->code == code::shadowed);
    CHECK(find(records, "libbench_low.so")->reason.find(high) != std::string::npos);
    CHECK(registry.devices().size() == 1);
    CHECK(registry.plugin_for_class("rivals").id == "org.bench.zoo.high");
  }
  Options options = zoo.options();
  options.paths = {low, high};  // each element is a place of its own in the order
  Registry registry(options);
  CHECK(find(registry.discover(), "libbench_high.so")->state == State::shadowed);
  CHECK(registry.plugin_for_class("rivals").id == "org.bench.zoo.low");
}

TEST_CASE("a class that nobody has is refused with the classes there are") {
  Zoo zoo;
  zoo.admit("good");
  Registry registry(zoo.options());
  try {
    registry.plugin_for_class("nobody");
    FAIL("no failure");
  } catch (const Failure &failure) {
    CHECK(failure.status() == BENCH_ERROR_UNSUPPORTED);
    CHECK(failure.text().what.find("nobody") != std::string::npos);
    CHECK(failure.text().hint.find("libbench_nobody.so") != std::string::npos);
    CHECK(failure.text().hint.find(" good") != std::string::npos);
  }
}

#if defined(__x86_64__)
TEST_CASE("a plugin that flips the floating-point mode is seen, and the mode is put back") {
  Zoo zoo;
  const std::string path = zoo.admit("fast_math").string();
  Registry registry(zoo.options());
  const unsigned before = _mm_getcsr();
  registry.plugin_for_class("fast_math");
  CHECK((_mm_getcsr() & 0x8040u) == (before & 0x8040u));
  const auto story = registry.story();
  const Line *line = line_of(story, code::state_changed, path);
  REQUIRE(line);
  CHECK(line->what.find("floating-point mode") != std::string::npos);
}
#endif
