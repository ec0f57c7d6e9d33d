// SPDX-License-Identifier: Apache-2.0
#include "loader/shared_library.hpp"

#include <boost/dll/shared_library.hpp>
#include <mutex>
#include <vector>

namespace bench::loader {

OpenResult open_plugin_library(const std::string &path) {
  // Leaked: a plugin's threads, thread-local destructors and atexit handlers outlive any order of
  // unloading that we could choose.
  static auto *const libraries = new std::vector<boost::dll::shared_library>;
  static auto *const mutex = new std::mutex;
  OpenResult result;
  try {
    // rtld_now: with lazy binding a plugin with an undefined symbol would load and end the process
    // at its first call. The throwing overload: the error_code one drops the system's reason.
    boost::dll::shared_library library(
        path, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    result.opened = true;
    if (library.has("bench_plugin_v1")) {
      result.entry = reinterpret_cast<void *>(&library.get<void()>("bench_plugin_v1"));
    }
    const std::lock_guard lock(*mutex);
    libraries->push_back(std::move(library));
  } catch (const std::exception &error) {
    result.reason = error.what();
  }
  return result;
}

}  // namespace bench::loader
