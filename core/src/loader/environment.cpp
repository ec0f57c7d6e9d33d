// SPDX-License-Identifier: Apache-2.0
#include "loader/environment.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace bench::loader {

bool process_is_elevated() {
  return ::getauxval(AT_SECURE) != 0;
}

std::optional<std::string> environment(const char *name) {
  // secure_getenv: plain getenv hands an elevated process the attacker's value.
  const char *value = ::secure_getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

std::string own_folder() {
  Dl_info info{};
  if (!::dladdr(reinterpret_cast<void *>(&own_folder), &info) || !info.dli_fname) return "";
  std::error_code error;
  const auto path = std::filesystem::canonical(info.dli_fname, error);
  return error ? "" : path.parent_path().string();
}

std::string user_cache_folder() {
  if (const auto cache = environment("XDG_CACHE_HOME");
      cache && !cache->empty() && cache->front() == '/')
    return *cache + "/bench";
  if (const auto home = environment("HOME"); home && !home->empty() && home->front() == '/')
    return *home + "/.cache/bench";
  if (process_is_elevated()) return "";
  const passwd *user = ::getpwuid(::getuid());
  return user && user->pw_dir && user->pw_dir[0] == '/'
             ? std::string(user->pw_dir) + "/.cache/bench"
             : "";
}

std::optional<std::string> untrusted(const std::string &path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    return std::string("cannot be examined: ") + ::strerror(errno);
  if (status.st_mode & S_IWOTH) return "is writable by every user";
  if (status.st_uid != 0 && status.st_uid != ::geteuid() && status.st_uid != ::getuid()) {
    return "belongs to another user (uid " + std::to_string(status.st_uid) + ")";
  }
  return std::nullopt;
}

}  // namespace bench::loader
