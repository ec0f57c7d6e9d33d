// SPDX-License-Identifier: Apache-2.0
#include "store/path.hpp"

#include <pwd.h>
#include <sys/auxv.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace bench::store {
namespace {

// statfs's kinds (statfs(2)); <linux/magic.h> lacks half of them.
constexpr unsigned long network_kinds[] = {
    0x6969,      // NFS
    0x517B,      // SMB
    0xFF534D42,  // CIFS
    0xFE534D42,  // SMB2
    0x0BD00BD0,  // Lustre
    0x47504653,  // GPFS
    0x00C36400,  // Ceph
    0x5346414F,  // AFS
    0x6B414653,  // kAFS
    0x19830326,  // BeeGFS
    0xAAD7AAEA,  // PanFS
    0x01021997,  // 9P
    0x73757245,  // Coda
    0x7461636F,  // OCFS2
    0x01161970,  // GFS2
};
constexpr std::size_t name_limit = 256;          // HOST_NAME_MAX is 64 on Linux; room for others
constexpr std::size_t user_entry_limit = 16384;  // what getpwuid_r asks for in practice is 1 KiB

std::string environment_value(const char *name) {
  if (getauxval(AT_SECURE) != 0) return {};
  const char *value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string user_home() {
  std::vector<char> buffer(user_entry_limit);
  passwd entry{};
  passwd *found = nullptr;
  if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0) return {};
  return found != nullptr && found->pw_dir != nullptr ? found->pw_dir : "";
}

}  // namespace

bool network_kind(unsigned long kind) {
  for (const unsigned long known : network_kinds) {
    if (known == (kind & 0xffffffffUL)) return true;  // f_type is signed on some machines
  }
  return false;
}

std::filesystem::path host_file(const std::filesystem::path &file, const std::string &host) {
  std::filesystem::path name = file.stem();
  name += "-" + host;
  name += file.extension();
  return file.parent_path() / name;
}

std::filesystem::path local_file(const std::filesystem::path &file) {
  std::error_code ignored;
  std::filesystem::path folder = std::filesystem::absolute(file, ignored).parent_path();
  while (!std::filesystem::exists(folder, ignored) && folder != folder.root_path() &&
         folder.has_parent_path()) {
    folder = folder.parent_path();  // the file's folder is made by the first write
  }
  struct statfs about {};
  if (statfs(folder.c_str(), &about) != 0 ||
      !network_kind(static_cast<unsigned long>(about.f_type))) {
    return file;
  }
  char host[name_limit] = {};
  if (gethostname(host, sizeof(host) - 1) != 0) return file;
  return host_file(file, host);
}

std::filesystem::path default_path() {
  if (const std::string named = environment_value("BENCH_STORE"); !named.empty()) return named;
  const std::filesystem::path tail = std::filesystem::path("bench") / "store.db";
  // A relative XDG_CACHE_HOME is void by its specification.
  const std::filesystem::path cache = environment_value("XDG_CACHE_HOME");
  if (cache.is_absolute()) return cache / tail;
  std::string home = environment_value("HOME");
  if (home.empty()) home = user_home();
  if (home.empty()) home = "/";  // not writable for most: the first write says so
  return std::filesystem::path(home) / ".cache" / tail;
}

}  // namespace bench::store
