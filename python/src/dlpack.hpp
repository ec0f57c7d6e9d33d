// SPDX-License-Identifier: Apache-2.0
// DLPack's structs, as far as arguments are read: written from the published layout, so that the
// module builds without the header. The layout is frozen within a major version.
#pragma once
#include <cstdint>

namespace libbench::dlpack {

struct Device {
  std::int32_t type, id;
};
struct DataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct Tensor {
  void *data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t *shape;
  std::int64_t *strides;  // may be null: compact
  std::uint64_t byte_offset;
};
struct Managed {
  Tensor tensor;
  void *context;
  void (*deleter)(Managed *);
};
struct Version {
  std::uint32_t major, minor;
};
struct ManagedVersioned {
  Version version;
  void *context;
  void (*deleter)(ManagedVersioned *);
  std::uint64_t flags;
  Tensor tensor;
};

/// What a type offers in `__dlpack_c_exchange_api__`, a capsule of this name: tensors read without
/// an allocation or a Python call.
inline constexpr const char *exchange_capsule = "dlpack_exchange_api";
struct ExchangeHeader {
  Version version;
  ExchangeHeader *previous;
};
struct ExchangeApi {
  ExchangeHeader header;
  int (*allocate)(Tensor *, ManagedVersioned **, void *,
                  void (*)(void *, const char *, const char *));
  int (*managed_from_object)(void *object, ManagedVersioned **out);
  int (*managed_to_object)(ManagedVersioned *tensor, void **out);
  int (*tensor_from_object)(void *object, Tensor *out);  // may be null
  int (*current_work_stream)(std::int32_t device_type, std::int32_t device_id, void **out);
};

}  // namespace libbench::dlpack
