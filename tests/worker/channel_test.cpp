// SPDX-License-Identifier: Apache-2.0
#include "worker/channel.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "base/clock.hpp"

using bench::worker::Channel;
using bench::worker::Received;
using nlohmann::json;

namespace {

struct Pair {
  Pair() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    left = std::make_unique<Channel>(ends[0]);
    right = std::make_unique<Channel>(ends[1]);
  }
  std::unique_ptr<Channel> left, right;
};

std::int64_t soon() {
  return bench::system_clock().now_ns() + 20'000'000;
}

}  // namespace

TEST_CASE(
    "a message arrives whole, bytes included, also when it is larger than a socket's buffer") {
  Pair pair;
  std::vector<std::uint8_t> bytes(3u << 20);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
  std::thread sender([&] {
    CHECK(pair.left->send({{"op", "load"}, {"binary", json::binary(bytes)}}));
  });
  json message;
  CHECK(pair.right->receive(message, 0) == Received::message);
  sender.join();
  CHECK(message["op"] == "load");
  const std::vector<std::uint8_t> &received = message["binary"].get_binary();
  CHECK((received == bytes));
}

TEST_CASE("silence ends at the deadline, a closed end at once") {
  Pair pair;
  json message;
  CHECK(pair.right->receive(message, soon()) == Received::timeout);
  pair.left->close();
  CHECK(pair.right->receive(message, 0) == Received::closed);
  CHECK_FALSE(pair.right->send({{"op", "x"}}));  // and without a SIGPIPE
}

TEST_CASE("what is no frame counts as closed, whatever the bytes") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Pair pair;
    std::vector<std::uint8_t> noise(4 + random() % 60);
    for (auto &byte : noise) byte = static_cast<std::uint8_t>(random());
    if (round % 2) {  // a length that fits, so that the body is read and judged
      const auto size = static_cast<std::uint32_t>(noise.size() - 4);
      std::memcpy(noise.data(), &size, sizeof size);
    }
    REQUIRE(::write(pair.left->descriptor(), noise.data(), noise.size()) ==
            static_cast<ssize_t>(noise.size()));
    pair.left->close();
    json message;
    const Received state = pair.right->receive(message, 0);
    CHECK((state == Received::closed || state == Received::message));
  }
}
