// SPDX-License-Identifier: Apache-2.0
#include "worker/channel.hpp"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "base/clock.hpp"

namespace bench::worker {
namespace {

// A compiled kernel is megabytes at most; a larger length is a frame that a runaway kernel wrote.
constexpr std::uint32_t max_message_bytes = 1u << 30;
constexpr std::size_t piece_bytes = 1u << 20;
constexpr std::int64_t ns_per_ms = 1'000'000;

}  // namespace

Channel::~Channel() {
  close();
}

void Channel::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

bool Channel::send(const nlohmann::json &message) {
  const std::vector<std::uint8_t> body = nlohmann::json::to_cbor(message);
  const auto length = static_cast<std::uint32_t>(body.size());
  std::vector<std::uint8_t> frame(sizeof length + body.size());
  std::memcpy(frame.data(), &length, sizeof length);
  std::memcpy(frame.data() + sizeof length, body.data(), body.size());
  std::size_t sent = 0;
  while (sent < frame.size()) {
    // MSG_NOSIGNAL: the embedding process must not get a SIGPIPE because our worker died.
    const ssize_t n = ::send(descriptor_, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

Received Channel::read_exactly(void *target, std::size_t size, std::int64_t deadline_ns) {
  auto *bytes = static_cast<std::uint8_t *>(target);
  while (size > 0) {
    int wait_ms = -1;
    if (deadline_ns != 0) {
      const std::int64_t left = deadline_ns - system_clock().now_ns();
      if (left <= 0) return Received::timeout;
      wait_ms = static_cast<int>(std::min<std::int64_t>(left / ns_per_ms + 1, 1'000'000));
    }
    pollfd poll_one{descriptor_, POLLIN, 0};
    const int ready = ::poll(&poll_one, 1, wait_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return Received::closed;
    if (ready == 0) continue;
    const ssize_t n = ::recv(descriptor_, bytes, size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Received::closed;
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return Received::message;
}

Received Channel::receive(nlohmann::json &message, std::int64_t deadline_ns) {
  std::uint32_t length = 0;
  Received state = read_exactly(&length, sizeof length, deadline_ns);
  if (state != Received::message) return state;
  if (length > max_message_bytes) return Received::closed;
  // In pieces: a length that a runaway kernel made up must not cost its value in memory.
  std::vector<std::uint8_t> body;
  while (body.size() < length) {
    const std::size_t have = body.size();
    body.resize(std::min<std::size_t>(length, have + piece_bytes));
    state = read_exactly(body.data() + have, body.size() - have, deadline_ns);
    if (state != Received::message) return state;
  }
  message = nlohmann::json::from_cbor(body, true, false);
  return message.is_discarded() ? Received::closed : Received::message;
}

}  // namespace bench::worker
