// SPDX-License-Identifier: Apache-2.0
// What the store knows of a key: a choice to take as it is, or a few configurations worth a short
// race.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tune/race.hpp"
#include "tune/tuner_device.hpp"
#include "tune/tuner_tune.hpp"

namespace bench::tune {

struct Remembered {
  /// Measured under the same environment: taken as it is.
  std::optional<Choice> choice;
  /// Measured under another: to be raced again, the default among them. Empty otherwise.
  std::vector<std::size_t> candidates;
  std::vector<std::string> differences;
};

Remembered remember(const TuneRequest &request, const DeviceUse &device);
/// Throws where it could not be kept.
void keep(const TuneRequest &request, const DeviceUse &device,
          const std::vector<std::size_t> &candidates, const RaceResult &result,
          const nlohmann::json &report);

}  // namespace bench::tune
