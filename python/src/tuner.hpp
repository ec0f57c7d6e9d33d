// SPDX-License-Identifier: Apache-2.0
// The core's tuner: made from Python's options, asked with Python's arguments.
#pragma once
#include <bench/bench.h>
#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "arguments.hpp"
#include "context.hpp"

namespace libbench {

class Tuner {
 public:
  /// `options`: see libbench/_tuner.py, which fills it.
  Tuner(nb::object context, nb::dict options);
  ~Tuner();
  Tuner(const Tuner &) = delete;  // owns the handle
  bench_tuner *raw() const { return raw_; }
  std::size_t argument_count() const { return names_.size(); }
  bool is_key(std::size_t at) const { return is_key_[at]; }

  /// The configuration for `values` (declaration order); a cold key is tuned.
  std::uint64_t tune(nb::tuple values, nb::object function, nb::tuple arguments, nb::dict keywords,
                     nb::list configs, nb::object stream, std::uint32_t flags, nb::dict hooks);
  /// Of a tuned key; None for a cold one.
  nb::object find(nb::tuple values);
  void choose(nb::tuple values, std::uint64_t index);
  nb::object report_json(nb::tuple values);

 private:
  std::vector<const bench_argument_v1 *> read(nb::tuple values, std::vector<Slot> &slots) const;
  nb::object context_;  // must outlive the tuner
  bench_tuner *raw_ = nullptr;
  std::vector<std::string> names_;
  std::vector<std::uint8_t> is_key_, is_zeroed_;
  std::vector<std::uint32_t> roles_;
};

}  // namespace libbench
