// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner_arguments.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace bench::tune {

namespace {

constexpr const char *where = "saved arguments";
// A NaN in every float width, and an unlikely integer.
constexpr std::uint8_t poison_byte = 0xff;
// Enough places to meet any launch that writes a whole tensor, and cheap to fetch.
constexpr std::uint64_t sample_pieces = 16, sample_piece_bytes = 4096;

/// Bytes from the lowest to one past the highest element, relative to `data`.
void measure_span(const bench_argument_v1 &argument, void *&base, std::uint64_t &offset,
                  std::uint64_t &size) {
  const std::int64_t element = (argument.dtype_bits * argument.dtype_lanes + 7) / 8;
  std::int64_t low = 0, high = 0, compact = 1;
  offset = argument.byte_offset;
  size = 0;
  for (std::uint32_t axis = argument.rank; axis-- > 0;) {
    const std::int64_t extent = argument.shape[axis];
    if (extent == 0) return;
    const std::int64_t stride = argument.strides ? argument.strides[axis] : compact;
    (stride < 0 ? low : high) += (extent - 1) * stride;
    compact *= extent;
  }
  const std::int64_t first = std::int64_t(argument.byte_offset) + low * element;
  // Elements before the pointer (negative strides): only memory with addresses has them, and there
  // the pointer can move.
  if (first < 0) base = static_cast<std::byte *>(base) + first;
  offset = std::uint64_t(std::max<std::int64_t>(first, 0));
  size = std::uint64_t((high - low + 1) * element);
}

bool is_host_memory(std::int32_t type) {
  return type == BENCH_DEVICE_CPU || type == BENCH_DEVICE_CUDA_HOST ||
         type == BENCH_DEVICE_ROCM_HOST;
}

}  // namespace

TunerArguments::TunerArguments(const measure::Target &target, bench_device_v1 device,
                               const TunerOptions &options,
                               const bench_argument_v1 *const *arguments,
                               const bench_stream_v1 *stream)
    : target_(target), options_(options) {
  if (stream && stream->kind != BENCH_STREAM_NONE) stream_ = *stream;
  for (std::size_t at = 0; at < options.layout.argument_names.size(); ++at) {
    View view;
    view.argument = arguments[at];
    view.tensor = arguments[at]->kind == BENCH_ARGUMENT_TENSOR;
    if (view.tensor) {
      view.base = view.argument->data;
      measure_span(*view.argument, view.base, view.offset, view.size);
      const bool tensor_on_device = view.argument->device.type == device.type;
      view.on_host = is_host_memory(view.argument->device.type) && !view.argument->device_class &&
                     (!tensor_on_device || !target.has_t1);
      view.zeroed = options.zeroed[at];
      view.restored =
          !view.zeroed && (options.restored[at] || view.argument->role == BENCH_ROLE_INOUT);
    }
    if (view.tensor && !view.base) {
      // An embedder may hold memory that it cannot show; then nobody may ask for its contents.
      if (view.restored || view.zeroed)
        throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                      "'" + name(at) + "' is to be put back or zeroed, but has no data pointer",
                      where, "pass its memory, or take the mark away");
      view.size = 0;
    }
    views_.push_back(std::move(view));
  }
}

TunerArguments::~TunerArguments() {
  for (View &view : views_)
    if (view.copy) target_.api->memory_free(target_.instance, target_.device, view.copy);
  if (owns_stream_) target_.api->stream_destroy(target_.instance, target_.device, &stream_);
}

const std::string &TunerArguments::name(std::size_t argument) const {
  return options_.layout.argument_names[argument];
}

void TunerArguments::check(bench_status status, const bench_error_v1 &error,
                           const char *step) const {
  if (status != BENCH_OK) throw Failure(status, error, step);
}

void TunerArguments::need_memory_functions() const {
  if (target_.has_t1) return;
  throw Failure(BENCH_ERROR_UNSUPPORTED,
                "arguments are to be put back, zeroed or compared, but the device's plugin has no "
                "memory functions",
                where, "give a callable with prepare and restore callbacks that do it");
}

const bench_stream_v1 &TunerArguments::stream() const {
  if (stream_.kind == BENCH_STREAM_NONE) {
    bench_error_v1 error = error_struct();
    stream_ = {sizeof stream_, BENCH_STREAM_NONE, 0, 0, nullptr, nullptr, nullptr};
    check(target_.api->stream_create(target_.instance, target_.device, &stream_, &error), error,
          "stream_create");
    owns_stream_ = true;
  }
  return stream_;
}

bool TunerArguments::changes_memory() const {
  return std::any_of(views_.begin(), views_.end(),
                     [](const View &view) { return view.size && (view.restored || view.zeroed); });
}

void TunerArguments::save() {
  // The largest last: what does not fit goes to the host, and that should be as little as it can.
  std::vector<View *> order;
  for (View &view : views_)
    if (view.size && view.restored && !view.saved) order.push_back(&view);
  std::stable_sort(order.begin(), order.end(),
                   [](const View *left, const View *right) { return left->size < right->size; });
  for (View *view : order) {
    bench_error_v1 error = error_struct();
    if (!view->on_host) {
      need_memory_functions();
      const bool fits =
          !options_.saved_bytes_limit || device_bytes_ + view->size <= options_.saved_bytes_limit;
      if (fits && target_.api->memory_allocate(target_.instance, target_.device, &stream(),
                                               view->size, &view->copy, &error) == BENCH_OK) {
        device_bytes_ += view->size;
        check(target_.api->memory_copy(target_.instance, target_.device, view->copy, 0, view->base,
                                       view->offset, view->size, BENCH_COPY_ON_DEVICE, &stream(),
                                       &error),
              error, "memory_copy");
        view->saved = true;
        continue;
      }
      view->copy = nullptr;
    }
    view->host_copy.resize(view->size);
    fetch(*view, 0, view->size, view->host_copy.data());
    host_bytes_ += view->size;
    view->saved = true;
  }
}

void TunerArguments::fetch(const View &view, std::uint64_t from, std::uint64_t size,
                           std::byte *to) const {
  if (!size) return;
  if (view.on_host) {
    std::memcpy(to, static_cast<const std::byte *>(view.base) + view.offset + from, size);
    return;
  }
  need_memory_functions();
  bench_error_v1 error = error_struct();
  check(
      target_.api->memory_copy(target_.instance, target_.device, to, 0, view.base,
                               view.offset + from, size, BENCH_COPY_FROM_DEVICE, &stream(), &error),
      error, "memory_copy");
}

void TunerArguments::fill(View &view, std::uint8_t value, const bench_stream_v1 &on) {
  if (!view.size) return;
  if (view.on_host) {
    std::memset(static_cast<std::byte *>(view.base) + view.offset, value, view.size);
    return;
  }
  need_memory_functions();
  bench_error_v1 error = error_struct();
  check(target_.api->memory_set(target_.instance, target_.device, view.base, view.offset, value,
                                view.size, &on, &error),
        error, "memory_set");
}

void TunerArguments::put_back(View &view, const bench_stream_v1 &on) {
  bench_error_v1 error = error_struct();
  if (view.on_host) {
    std::memcpy(static_cast<std::byte *>(view.base) + view.offset, view.host_copy.data(),
                view.size);
  } else if (view.copy) {
    check(target_.api->memory_copy(target_.instance, target_.device, view.base, view.offset,
                                   view.copy, 0, view.size, BENCH_COPY_ON_DEVICE, &on, &error),
          error, "memory_copy");
  } else {
    check(target_.api->memory_copy(target_.instance, target_.device, view.base, view.offset,
                                   view.host_copy.data(), 0, view.size, BENCH_COPY_TO_DEVICE, &on,
                                   &error),
          error, "memory_copy");
  }
}

void TunerArguments::reset(const bench_stream_v1 &on) {
  for (View &view : views_) {
    if (view.zeroed) fill(view, 0, on);
    if (view.saved) put_back(view, on);
  }
}

void TunerArguments::finish() {
  if (!changes_memory()) return;
  bool on_device = false;
  for (const View &view : views_)
    on_device = on_device || (!view.on_host && (view.saved || view.zeroed));
  if (!on_device) {
    reset(stream_);
    return;
  }
  reset(stream());
  bench_error_v1 error = error_struct();
  check(target_.api->stream_synchronize(target_.instance, target_.device, &stream(), &error), error,
        "stream_synchronize");
}

std::vector<std::size_t> TunerArguments::outputs() const {
  std::vector<std::size_t> result;
  for (std::size_t at = 0; at < views_.size(); ++at) {
    const View &view = views_[at];
    if (view.size && (view.restored || view.zeroed || view.argument->role == BENCH_ROLE_OUT))
      result.push_back(at);
  }
  return result;
}

std::vector<std::size_t> TunerArguments::unmarked() const {
  std::vector<std::size_t> result;
  for (std::size_t at = 0; at < views_.size(); ++at) {
    const View &view = views_[at];
    if (view.size && !view.restored && !view.zeroed && view.argument->role == 0)
      result.push_back(at);
  }
  return result;
}

void TunerArguments::poison(std::size_t argument) {
  View &view = views_[argument];
  if (view.restored || view.zeroed) return;  // a launch reads them
  fill(view, poison_byte, view.on_host ? stream_ : stream());
}

std::vector<std::byte> TunerArguments::read(std::size_t argument) const {
  const View &view = views_[argument];
  std::vector<std::byte> bytes(view.size);
  fetch(view, 0, view.size, bytes.data());
  return bytes;
}

std::vector<std::byte> TunerArguments::sample(std::size_t argument) const {
  const View &view = views_[argument];
  if (view.size <= sample_pieces * sample_piece_bytes) return read(argument);
  std::vector<std::byte> bytes(sample_pieces * sample_piece_bytes);
  for (std::uint64_t piece = 0; piece < sample_pieces; ++piece)
    fetch(view, (view.size - sample_piece_bytes) / (sample_pieces - 1) * piece, sample_piece_bytes,
          bytes.data() + piece * sample_piece_bytes);
  return bytes;
}

}  // namespace bench::tune
