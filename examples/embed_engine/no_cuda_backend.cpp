// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

namespace engine {

std::unique_ptr<Backend> make_cuda(std::string &reason) {
  reason = "built without CUDA's headers";
  return nullptr;
}

}  // namespace engine
