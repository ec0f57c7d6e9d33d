// SPDX-License-Identifier: Apache-2.0
// Remembers what probes said, so that a second start runs no child. It holds what was listed, never
// a permission: permissions and the file itself are checked every time.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace bench::loader {

/// What a cached answer depends on.
struct ProbeKey {
  std::string path;
  std::string stamp;  // of file, core, boot and environment; equal = the answer still holds
};

/// `note` is the plugin's, whose "env" names variables that change its answer. Nothing if the file
/// cannot be examined.
std::optional<ProbeKey> probe_key(const std::string &path, const std::string &note);

class ProbeCache {
 public:
  /// A folder of this user's only; empty, unwritable or damaged: the cache is empty and stays so.
  explicit ProbeCache(const std::string &folder);
  ~ProbeCache();
  ProbeCache(const ProbeCache &) = delete;  // writes the file once
  ProbeCache &operator=(const ProbeCache &) = delete;

  /// JSON of an earlier report.
  std::optional<std::string> find(const ProbeKey &key) const;
  /// `negative`: nothing usable was found; asked again after ten minutes, since drivers get
  /// installed.
  void put(const ProbeKey &key, const std::string &report, bool negative);
  /// Writes what is new, atomically.
  void save();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace bench::loader
