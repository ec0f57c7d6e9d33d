// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "commands.hpp"
#include "table.hpp"

namespace cli {
namespace {

int devices(const Common &common) {
  Client client(common);
  const std::string text = collect([&](const bench_writer_v1 *writer) {
    bench_error_v1 error = new_error();
    check(bench_devices_json(client.context(), writer, &error), error);
  });
  const auto list = nlohmann::json::parse(text);
  if (common.json) {
    std::cout << list.dump(2) << "\n";
    return exit_fine;
  }
  if (list.empty()) {
    std::cout << "no plugin was found, so there is no device; `bench plugins --why` tells where "
                 "was looked\n";
    return exit_fine;
  }
  Table table;
  table.column("device");
  table.column("class");
  table.column("name");
  table.column("state");
  table.column("plugin");
  std::string reasons;
  for (const auto &device : list) {
    const auto field = [&](const char *name) {
      return device.contains(name) && device[name].is_string()
                 ? printable(device[name].get<std::string>())
                 : std::string("-");
    };
    table.row({field("tag"), field("class"), field("name"), field("state"), field("plugin")});
    if (field("reason") != "-" && !field("reason").empty()) {
      reasons +=
          (field("tag") == "-" ? field("class") : field("tag")) + ": " + field("reason") + "\n";
    }
  }
  std::cout << table.text();
  if (!reasons.empty()) std::cout << "\n" << reasons;
  return exit_fine;
}

}  // namespace

void add_devices(CLI::App &app, Common &common, Run &run) {
  CLI::App *command =
      app.add_subcommand("devices", "list the devices of all plugins, or why there is none");
  add_common(*command, common);
  command->callback([&] { run = [&] { return devices(common); }; });
}

}  // namespace cli
