// SPDX-License-Identifier: Apache-2.0
// What voting needs to know about classes of devices. Immutable, so that a hit reads it without a
// lock and without asking the registry, which may be loading a plugin at that moment.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/plugin_v1.h"

namespace bench::dispatch {

struct DeviceClass {
  std::string name;
  /// DLPack number; for a class without one the interned number, which lives in this process only.
  std::int32_t type = 0;
  std::vector<std::string> aliases;
  /// DLPack types of host memory that belongs to this class: they vote for it, never for an id.
  std::vector<std::int32_t> memory_types;
  /// A plugin serves it. The others are known by their DLPack number only, for messages.
  bool served = false;
};

class ClassTable {
 public:
  /// `served` are the plugins' classes; DLPack's own are known besides, without a plugin.
  explicit ClassTable(std::vector<DeviceClass> served);

  const DeviceClass *find_name(std::string_view name_or_alias) const noexcept;
  const DeviceClass *find_type(std::int32_t type) const noexcept;
  /// The class that owns this type of host memory (pinned, managed), or null.
  const DeviceClass *find_memory(std::int32_t memory_type) const noexcept;
  /// The only served class without a DLPack number, or null where there is none or are several.
  const DeviceClass *only_extension() const noexcept { return only_extension_; }
  const std::vector<DeviceClass> &classes() const noexcept { return classes_; }
  /// "cuda:1"; a number without a class reads "type 77:1".
  std::string tag(bench_device_v1 device) const;

 private:
  // DLPack's numbers are small: one load instead of a search on the hot path.
  static constexpr std::int32_t direct_types = 32;
  std::vector<DeviceClass> classes_;
  std::array<const DeviceClass *, direct_types> direct_{};
  std::array<const DeviceClass *, direct_types> memory_{};
  const DeviceClass *only_extension_ = nullptr;
};

}  // namespace bench::dispatch
