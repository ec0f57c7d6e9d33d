// SPDX-License-Identifier: Apache-2.0
#include "dispatch/votes.hpp"

#include <cstddef>

#include "base/error.hpp"
#include "dispatch/describe.hpp"

namespace bench::dispatch {

namespace {

// Size of the struct in version 1.0; a caller with less knows none of the rules.
constexpr std::uint32_t first_argument_size =
    offsetof(bench_argument_v1, reserved) + sizeof(std::uint32_t);
constexpr std::int32_t any_id = -1;

/// Empty where the argument is well formed.
const char *defect(const bench_argument_v1 *argument) noexcept {
  if (!argument) return "is a null pointer";
  if (argument->struct_size < first_argument_size) return "has a struct_size below that of 1.0";
  if (argument->kind > BENCH_ARGUMENT_TENSOR) return "has an unknown kind";
  if (argument->kind == BENCH_ARGUMENT_TEXT && !argument->text) return "is a text without text";
  if (argument->kind != BENCH_ARGUMENT_TENSOR) return nullptr;
  if (argument->rank && !argument->shape) return "has a rank but no shape";
  if (argument->device.id < 0) return "has a negative device id";
  return nullptr;
}

struct Ballot {
  const DeviceClass *voted = nullptr;
  std::int32_t id = any_id;
  Outcome failure = Outcome::elected;
  bool host_side = false;  ///< memory that the host reads: its 0-d tensors are scalars in disguise
};

Ballot ballot(const ClassTable &classes, const bench_argument_v1 &tensor) noexcept {
  Ballot result;
  if (tensor.device_class) {
    result.voted = classes.find_name(tensor.device_class);
    result.id = tensor.device.id;
  } else if (const DeviceClass *owner = classes.find_memory(tensor.device.type)) {
    result.voted = owner;  // DLPack gives such memory id 0, which says nothing
    result.host_side = true;
  } else if (tensor.device.type == BENCH_DEVICE_EXT) {
    result.voted = classes.only_extension();
    result.id = tensor.device.id;
    if (!result.voted) result.failure = Outcome::ambiguous_extension;
  } else {
    result.voted = classes.find_type(tensor.device.type);
    result.id = tensor.device.id;
  }
  if (!result.voted) {
    if (result.failure == Outcome::elected) result.failure = Outcome::unknown_class;
    return result;
  }
  result.host_side = result.host_side || result.voted->type == BENCH_DEVICE_CPU;
  return result;
}

}  // namespace

std::uint32_t find_malformed(const bench_argument_v1 *const *arguments,
                             std::uint32_t count) noexcept {
  for (std::uint32_t index = 0; index < count; ++index)
    if (defect(arguments[index])) return index;
  return count;
}

Verdict count_votes(const ClassTable &classes, const bench_argument_v1 *const *arguments,
                    std::uint32_t count) noexcept {
  const DeviceClass *elected = nullptr;
  std::int32_t id = any_id;
  for (std::uint32_t index = 0; index < count; ++index) {
    const bench_argument_v1 *argument = arguments[index];
    if (defect(argument)) return {Outcome::malformed, {}, index};
    if (argument->kind != BENCH_ARGUMENT_TENSOR) continue;
    const Ballot vote = ballot(classes, *argument);
    if (vote.failure != Outcome::elected) return {vote.failure, {}, index};
    if (vote.host_side && argument->rank == 0) continue;
    if (!elected) {
      elected = vote.voted;
      id = vote.id;
      continue;
    }
    if (elected != vote.voted) {
      const bool host = elected->type == BENCH_DEVICE_CPU || vote.voted->type == BENCH_DEVICE_CPU;
      return {host ? Outcome::host_beside_device : Outcome::two_devices, {}, index};
    }
    if (id == any_id) id = vote.id;
    if (vote.id != any_id && vote.id != id) return {Outcome::two_devices, {}, index};
  }
  if (!elected) return {Outcome::no_vote, {}, 0};
  if (id == any_id) return {Outcome::class_only, {elected->type, 0}, 0};
  return {Outcome::elected, {elected->type, id}, 0};
}

namespace {

// bench_error_v1.what holds 383 bytes. Where all lines do not fit, those that never vote are
// counted instead of listed: the lines that disagree are the ones a reader needs.
constexpr std::size_t text_limit = 383;

std::string argument_lines(const ClassTable &classes, const bench_argument_v1 *const *arguments,
                           std::uint32_t count, const char *const *names, std::size_t room) {
  std::string all, tensors;
  std::uint32_t silent = 0;
  for (std::uint32_t index = 0; index < count; ++index) {
    const std::string line =
        "\n  " + argument_line(classes, index, names ? names[index] : nullptr, arguments[index]);
    all += line;
    if (!arguments[index] || arguments[index]->kind == BENCH_ARGUMENT_TENSOR)
      tensors += line;
    else
      ++silent;
  }
  if (all.size() <= room || !silent) return all;
  return tensors + "\n  and " + std::to_string(silent) + " that are no tensors";
}

std::string extension_classes(const ClassTable &classes) {
  std::string list;
  for (const DeviceClass &each : classes.classes()) {
    if (!each.served || (each.type >= 0 && each.type < 32)) continue;
    list += (list.empty() ? "" : ", ") + each.name;
  }
  return list.empty() ? "none" : list;
}

}  // namespace

void throw_verdict(const ClassTable &classes, const Verdict &verdict,
                   const bench_argument_v1 *const *arguments, std::uint32_t count,
                   const char *const *names) {
  const std::string which = "argument " + std::to_string(verdict.argument);
  std::string what, hint;
  switch (verdict.outcome) {
    case Outcome::elected:
      throw Failure(BENCH_ERROR_INTERNAL, "a verdict without a fault was reported as one",
                    "dispatch", "this is a defect of the library: please report it");
    case Outcome::no_vote:
      what = "no argument is a tensor on a device, so nothing says where to run:";
      hint = "name the device (\"cuda:0\"), or pass a tensor that lives on it";
      break;
    case Outcome::two_devices:
      what = "the arguments live on different devices:";
      hint = "move them to one device, or name the device to use";
      break;
    case Outcome::host_beside_device:
      what = "a host tensor stands beside another device's:";
      hint = "move the host tensor to the device, pass it as a scalar, or name the device to use";
      break;
    case Outcome::class_only:
      what = "pinned or managed memory names a class (" +
             classes.find_type(verdict.device.type)->name + ") but no device of it:";
      hint = "name the device (\"" + classes.find_type(verdict.device.type)->name + ":0\")";
      break;
    case Outcome::unknown_class:
      what = which + " lives on a class of devices that no plugin serves:";
      hint = "list the classes with `bench plugins --why`, or install the plugin for this one";
      break;
    case Outcome::ambiguous_extension:
      what = which + " has DLPack type 12 without a class name; classes it may mean: " +
             extension_classes(classes) + ":";
      hint = "set device_class to one of the classes";
      break;
    case Outcome::malformed:
      what = which + " " + defect(arguments[verdict.argument]);
      hint = "fill bench_argument_v1 as bench.h says, struct_size first";
      // The other arguments may be no better: they are not read for the message.
      throw Failure(BENCH_ERROR_INVALID_ARGUMENT, what, "dispatch", hint);
  }
  what += argument_lines(classes, arguments, count, names,
                         text_limit > what.size() ? text_limit - what.size() : 0);
  throw Failure(BENCH_ERROR_INVALID_ARGUMENT, what, "dispatch", hint);
}

bench_device_v1 elect(const ClassTable &classes, const bench_argument_v1 *const *arguments,
                      std::uint32_t count, const char *const *names) {
  const Verdict verdict = count_votes(classes, arguments, count);
  if (verdict.outcome != Outcome::elected) throw_verdict(classes, verdict, arguments, count, names);
  return verdict.device;
}

}  // namespace bench::dispatch
