// SPDX-License-Identifier: Apache-2.0
// Part of bench.hpp: devices, data types and the arguments of a call.
#ifndef BENCH_CPP_ARGUMENT_HPP
#define BENCH_CPP_ARGUMENT_HPP

#include <bench/cpp/result.hpp>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace bench {
inline namespace BENCH_INLINE_NAMESPACE {

/// A DLPack pair; `class_name`, if any, wins over the type.
struct Device {
  bench_device_v1 pair{BENCH_DEVICE_CPU, 0};
  const char *class_name = nullptr;
};
inline Device cpu(std::int32_t id = 0) {
  return {{BENCH_DEVICE_CPU, id}, nullptr};
}
inline Device cuda(std::int32_t id = 0) {
  return {{BENCH_DEVICE_CUDA, id}, nullptr};
}
inline Device hip(std::int32_t id = 0) {
  return {{BENCH_DEVICE_ROCM, id}, nullptr};
}
inline Device xpu(std::int32_t id = 0) {
  return {{BENCH_DEVICE_ONEAPI, id}, nullptr};
}
/// A vendor's own class; `name` is not copied.
inline Device device(const char *name, std::int32_t id = 0) {
  return {{BENCH_DEVICE_EXT, id}, name};
}

/// DLPack's DLDataType.
struct DataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
constexpr DataType float16{2, 16, 1}, float32{2, 32, 1}, float64{2, 64, 1}, bfloat16{4, 16, 1};

template <typename T>
constexpr DataType data_type_of() {
  using Plain = std::remove_cv_t<T>;
  static_assert(std::is_arithmetic_v<Plain>, "give the data type of this element by hand");
  const auto bits = std::uint8_t(8 * sizeof(T));
  if (std::is_same_v<Plain, bool>) return {6, 8, 1};
  if (std::is_floating_point_v<Plain>) return {2, bits, 1};
  return {std::uint8_t(std::is_signed_v<Plain> ? 0 : 1), bits, 1};
}

/// One argument of a call. Small shapes are kept inside, so that a temporary list may give them.
class Argument {
 public:
  static constexpr std::uint32_t kept_rank = 8;
  Argument() = default;  // left unset: Arguments sets what it uses
  Argument(const Argument &other) { *this = other; }
  Argument &operator=(const Argument &other) {
    raw_ = other.raw_;
    if (other.raw_.shape != other.extents_) return *this;
    for (std::uint32_t axis = 0; axis < raw_.rank; ++axis) extents_[axis] = other.extents_[axis];
    raw_.shape = extents_;
    return *this;
  }
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Argument(T value) : Argument(kind_of<T>(), nullptr) {
    if (std::is_floating_point_v<T>)
      raw_.real = double(value);
    else
      raw_.integer = std::int64_t(value);
  }
  /// `text` is not copied.
  Argument(const char *text) : Argument(BENCH_ARGUMENT_TEXT, nullptr) { raw_.text = text; }
  Argument(std::nullptr_t) : Argument(BENCH_ARGUMENT_NONE, nullptr) {}

  Argument &role(std::uint32_t value) {
    raw_.role = value;
    return *this;
  }
  /// In elements, one per axis; not copied.
  Argument &strides(const std::int64_t *value) {
    raw_.strides = value;
    return *this;
  }
  const bench_argument_v1 *raw() const { return &raw_; }

 private:
  friend Argument tensor(void *, DataType, const std::int64_t *, std::uint32_t, Device);
  Argument(std::uint32_t kind, std::nullptr_t) : raw_{} {
    raw_.struct_size = sizeof raw_;
    raw_.kind = kind;
  }
  template <typename T>
  static constexpr std::uint32_t kind_of() {
    return std::is_same_v<T, bool>       ? BENCH_ARGUMENT_BOOLEAN
           : std::is_floating_point_v<T> ? BENCH_ARGUMENT_REAL
                                         : BENCH_ARGUMENT_INTEGER;
  }
  bench_argument_v1 raw_;
  std::int64_t extents_[kept_rank];
};

/// A tensor view; shapes of more than Argument::kept_rank axes are not copied.
inline Argument tensor(void *data, DataType type, const std::int64_t *shape, std::uint32_t rank,
                       Device where) {
  Argument result(BENCH_ARGUMENT_TENSOR, nullptr);
  bench_argument_v1 &raw = result.raw_;
  raw.data = data;
  raw.dtype_code = type.code;
  raw.dtype_bits = type.bits;
  raw.dtype_lanes = type.lanes;
  raw.device = where.pair;
  raw.device_class = where.class_name;
  raw.rank = rank;
  raw.shape = shape;
  if (rank > Argument::kept_rank) return result;
  for (std::uint32_t axis = 0; axis < rank; ++axis) result.extents_[axis] = shape[axis];
  raw.shape = result.extents_;
  return result;
}
template <typename T>
Argument tensor(T *data, std::initializer_list<std::int64_t> shape, Device where) {
  return tensor(const_cast<std::remove_const_t<T> *>(data), data_type_of<T>(), shape.begin(),
                std::uint32_t(shape.size()), where);
}

}  // namespace BENCH_INLINE_NAMESPACE
}  // namespace bench
#endif
