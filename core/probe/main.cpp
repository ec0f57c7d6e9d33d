// SPDX-License-Identifier: Apache-2.0
// bench-probe PLUGIN: loads it, asks what it is, and answers as JSON on descriptor 3. What the
// plugin does to this process ends with it.
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>

#include "loader/diagnostics.hpp"
#include "loader/probe_report.hpp"

namespace {

constexpr int answer_descriptor = 3;

void answer(const nlohmann::json &report) {
  const std::string text = report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t n = write(answer_descriptor, text.data() + sent, text.size() - sent);
    if (n <= 0) return;
    sent += static_cast<std::size_t>(n);
  }
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    fputs("bench-probe: started by libbench.so, not by hand\n", stderr);
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A plugin that crashes here is news, not worth a core file of the driver it loaded.
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    answer({{"code", bench::loader::code::open_failed},
            {"reason", reason ? reason : "unknown reason"},
            {"hint", ""}});
    _exit(0);
  }
  void *entry = dlsym(library, "bench_plugin_v1");
  if (!entry) {
    answer({{"code", bench::loader::code::no_entry},
            {"reason", "it does not export bench_plugin_v1"},
            {"hint", "build it with the SDK's version script, or it is no plugin"}});
    _exit(0);
  }
  answer(bench::loader::probe_report(reinterpret_cast<bench_plugin_entry_v1>(entry)));
  // Without destructors: those of a driver may take long, or crash, and nobody needs them here.
  fflush(nullptr);
  _exit(0);
}
