// SPDX-License-Identifier: Apache-2.0
// `bench new-plugin`: a project that builds a plugin for a device class of the user's own.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "commands.hpp"
#include "templates.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;

struct Wish {
  std::string name, language = "c", id, folder;
};

/// The ABI's rule for class names, which is the loader's, too.
bool is_class_name(const std::string &name) {
  constexpr std::size_t longest = 31;
  return !name.empty() && name.size() <= longest && name[0] >= 'a' && name[0] <= 'z' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

/// Goes into string literals of three languages.
bool is_id(const std::string &id) {
  return !id.empty() && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

std::string replaced(std::string text, const std::string &what, const std::string &with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

void write(const fs::path &path, const std::string &text) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw Failed(exit_usage, "bench: " + path.string() + " could not be written");
}

int new_plugin(const Common &common, Wish wish) {
  if (!is_class_name(wish.name))
    throw Failed(exit_usage,
                 "bench: '" + wish.name +
                     "' is not a name for a device class\n  do: use small letters, digits and _, a "
                     "letter first, at most 31 characters, such as npu");
  if (wish.id.empty()) wish.id = "org.example." + wish.name;
  if (!is_id(wish.id))
    throw Failed(exit_usage,
                 "bench: '" + wish.id +
                     "' is not an id\n  do: use reverse DNS of letters, digits, '.', '_' and '-', "
                     "such as com.vendor.npu");
  const fs::path folder = wish.folder.empty() ? "bench-" + wish.name : wish.folder;
  // Somebody's work of an afternoon may lie there.
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error))
    throw Failed(exit_usage,
                 "bench: " + folder.string() +
                     " is there and is not empty\n  do: name another folder with --output");
  nlohmann::json files = nlohmann::json::array();
  try {
    for (const TemplateFile &file : template_files) {
      if (file.language != wish.language) continue;
      write(folder / file.path,
            replaced(replaced(file.text, "@ID@", wish.id), "@NAME@", wish.name));
      files.push_back(file.path);
    }
  } catch (const fs::filesystem_error &cause) {
    throw Failed(exit_usage, std::string("bench: ") + cause.what());
  }
  const bool cargo = wish.language == "rust";
  const std::string build =
      cargo ? "cargo build --release" : "cmake -S . -B build && cmake --build build";
  const std::string plugin =
      std::string(cargo ? "target/release/" : "build/") + "libbench_" + wish.name + ".so";
  if (common.json) {
    std::cout << nlohmann::json{{"folder", folder.string()},
                                {"files", files},
                                {"build", build},
                                {"plugin", plugin}}
                     .dump(2)
              << "\n";
    return exit_fine;
  }
  std::cout << "made " << folder.string() << "; next:\n  cd " << folder.string() << "\n  " << build
            << "\n  bench plugins --plugin-path $PWD/" << plugin << "\n";
  return exit_fine;
}

}  // namespace

void add_new_plugin(CLI::App &app, Common &common, Run &run) {
  CLI::App *command = app.add_subcommand("new-plugin", "write a project for a plugin of your own");
  static Wish wish;
  command->add_option("name", wish.name, "name of the device class, such as npu")->required();
  command->add_option("--lang", wish.language, "language of the project: c, cpp or rust")
      ->check(CLI::IsMember({"c", "cpp", "rust"}))
      ->capture_default_str();
  command->add_option("--id", wish.id,
                      "the plugin's id in reverse DNS (default: org.example.NAME)");
  command->add_option("--output", wish.folder, "folder to make (default: bench-NAME)");
  command->add_flag("--json", common.json, "print JSON on stdout");
  command->callback([&] { run = [&] { return new_plugin(common, wish); }; });
}

}  // namespace cli
