// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "commands.hpp"
#include "table.hpp"

namespace cli {
namespace {

std::string text_of(const nlohmann::json &object, const char *name) {
  return object.contains(name) && object[name].is_string()
             ? printable(object[name].get<std::string>())
             : "";
}

int plugins(const Common &common, bool why) {
  Client client(common);
  const std::string text = collect([&](const bench_writer_v1 *writer) {
    bench_error_v1 error = new_error();
    check(bench_plugins_json(client.context(), why ? 1 : 0, writer, &error), error);
  });
  const auto document = nlohmann::json::parse(text);
  if (common.json) {
    std::cout << document.dump(2) << "\n";
    return exit_fine;
  }
  const auto &list = why ? document["plugins"] : document;
  Table table;
  table.column("plugin");
  table.column("classes");
  table.column("state");
  table.column("code");
  table.column("reason");
  for (const auto &plugin : list) {
    std::string classes;
    for (const auto &name : plugin["classes"])
      classes += (classes.empty() ? "" : ",") + printable(name.get<std::string>());
    table.row({text_of(plugin, "path"), classes, text_of(plugin, "state"), text_of(plugin, "code"),
               text_of(plugin, "reason")});
  }
  if (list.empty()) {
    std::cout << "no plugin was found"
              << (why ? "\n" : "; `bench plugins --why` tells where was looked\n");
  } else {
    std::cout << table.text();
  }
  if (why) {
    std::cout << "\n";
    for (const auto &line : document["story"]) {
      std::cout << text_of(line, "code") << "  " << text_of(line, "path") << ": "
                << text_of(line, "what");
      if (!text_of(line, "hint").empty()) std::cout << " (" << text_of(line, "hint") << ")";
      std::cout << "\n";
    }
  }
  return exit_fine;
}

}  // namespace

void add_plugins(CLI::App &app, Common &common, Run &run) {
  CLI::App *command = app.add_subcommand("plugins", "list the plugins that were found");
  add_common(*command, common);
  static bool why = false;
  command->add_flag("--why", why, "tell the whole story: looked here, found that, skipped since");
  command->add_flag("--static", common.notes_only,
                    "run no plugin's code: list what their descriptions say");
  command->callback([&] { run = [&] { return plugins(common, why); }; });
}

}  // namespace cli
