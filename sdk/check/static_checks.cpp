// SPDX-License-Identifier: Apache-2.0
// What the file alone tells: none of its code runs.
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "check.hpp"

namespace check {
namespace {

/// A whole ELF file for this machine, read by offset; each access is checked against the file's
/// end.
class Elf {
 public:
  explicit Elf(const Options &options) {
    const int descriptor = open(options.plugin.c_str(), O_RDONLY | O_CLOEXEC);
    require(descriptor >= 0, "it cannot be opened: " + std::string(std::strerror(errno)));
    struct stat status {};
    require(fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode), "it is not a regular file");
    bytes_.resize(std::size_t(status.st_size));
    std::size_t have = 0;
    while (have < bytes_.size()) {
      const ssize_t size = read(descriptor, bytes_.data() + have, bytes_.size() - have);
      if (size <= 0) break;
      have += std::size_t(size);
    }
    close(descriptor);
    bytes_.resize(have);
    header = at<Elf64_Ehdr>(0, "the ELF header");
    require(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0, "it is not an ELF file");
    require(header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB,
            "it is not a 64-bit little-endian file");
    require(header.e_type == ET_DYN, "it is not a shared object");
#if defined(__x86_64__)
    require(header.e_machine == EM_X86_64, "it is for another processor");
#elif defined(__aarch64__)
    require(header.e_machine == EM_AARCH64, "it is for another processor");
#endif
    for (std::size_t i = 0; i < header.e_phnum; ++i)
      segments.push_back(
          at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr), "the program headers"));
    for (const Elf64_Phdr &segment : segments)
      if (segment.p_type == PT_LOAD)
        require(segment.p_offset + segment.p_filesz <= bytes_.size() &&
                    segment.p_offset + segment.p_filesz >= segment.p_offset,
                "it is truncated: a segment ends beyond the file's " +
                    std::to_string(bytes_.size()) + " bytes");
    for (std::size_t i = 0; i < header.e_shnum; ++i)
      sections.push_back(
          at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr), "the section headers"));
    for (const Elf64_Phdr &segment : segments)
      if (segment.p_type == PT_DYNAMIC)
        for (std::size_t i = 0; i < segment.p_filesz / sizeof(Elf64_Dyn); ++i)
          dynamic.push_back(
              at<Elf64_Dyn>(segment.p_offset + i * sizeof(Elf64_Dyn), "the dynamic section"));
    for (const Elf64_Shdr &section : sections) {
      if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections.size()) continue;
      strings_ = sections[section.sh_link].sh_offset;
      for (std::size_t i = 1; i < section.sh_size / sizeof(Elf64_Sym); ++i)
        symbols.push_back(at<Elf64_Sym>(section.sh_offset + i * sizeof(Elf64_Sym), "the symbols"));
    }
  }
  template <typename T>
  T at(std::size_t offset, const char *what) const {
    require(offset <= bytes_.size() && sizeof(T) <= bytes_.size() - offset,
            std::string("it is truncated within ") + what);
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  std::string text(std::size_t offset) const {
    std::string result;
    for (std::size_t i = strings_ + offset; i < bytes_.size() && bytes_[i]; ++i)
      result += bytes_[i];
    return result;
  }
  std::vector<std::string> defined() const {
    std::vector<std::string> names;
    for (const Elf64_Sym &symbol : symbols)
      if (symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS)
        names.push_back(text(symbol.st_name));
    return names;
  }
  std::vector<std::string> needed() const {
    std::vector<std::string> names;
    for (const Elf64_Dyn &entry : dynamic)
      if (entry.d_tag == DT_NEEDED) names.push_back(text(entry.d_un.d_val));
    return names;
  }
  std::uint64_t flags(Elf64_Sxword tag) const {
    std::uint64_t result = 0;
    for (const Elf64_Dyn &entry : dynamic)
      if (entry.d_tag == tag) result |= entry.d_un.d_val;
    return result;
  }
  bool has(Elf64_Sxword tag) const {
    for (const Elf64_Dyn &entry : dynamic)
      if (entry.d_tag == tag) return true;
    return false;
  }
  /// The note's JSON, or nothing.
  std::string note() const {
    constexpr std::size_t head = 12;  // sizes of name and text, type
    for (const Elf64_Phdr &segment : segments) {
      if (segment.p_type != PT_NOTE) continue;
      for (std::size_t offset = 0; offset + head <= segment.p_filesz;) {
        const auto name = at<std::uint32_t>(segment.p_offset + offset, "a note");
        const auto size = at<std::uint32_t>(segment.p_offset + offset + 4, "a note");
        const auto type = at<std::uint32_t>(segment.p_offset + offset + 8, "a note");
        const std::size_t name_at = segment.p_offset + offset + head;
        const std::size_t text_at = name_at + ((std::size_t(name) + 3) & ~std::size_t(3));
        require(text_at + size <= bytes_.size(), "a note ends beyond the file");
        if (type == BENCH_NOTE_TYPE && name == sizeof BENCH_NOTE_NAME &&
            std::memcmp(bytes_.data() + name_at, BENCH_NOTE_NAME, name) == 0)
          return std::string(bytes_.data() + text_at, size ? size - 1 : 0);
        offset += head + ((std::size_t(name) + 3) & ~std::size_t(3)) +
                  ((std::size_t(size) + 3) & ~std::size_t(3));
      }
    }
    return "";
  }

  Elf64_Ehdr header{};
  std::vector<Elf64_Phdr> segments;
  std::vector<Elf64_Shdr> sections;
  std::vector<Elf64_Dyn> dynamic;
  std::vector<Elf64_Sym> symbols;

 private:
  std::vector<char> bytes_;
  std::size_t strings_ = 0;
};

std::string joined(const std::vector<std::string> &names) {
  std::string result;
  for (const std::string &name : names) result += (result.empty() ? "" : ", ") + name;
  return result;
}

void whole_file(const Options &options) {
  Elf file(options);
}

void file_name(const Options &options) {
  const std::string name = options.plugin.substr(options.plugin.rfind('/') + 1);
  const bool framed =
      name.size() > 12 && name.rfind("libbench_", 0) == 0 && name.substr(name.size() - 3) == ".so";
  const std::string device = framed ? name.substr(9, name.size() - 12) : "";
  require(framed && device.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") ==
                        std::string::npos,
          "'" + name + "' is not libbench_<device>.so of small letters, digits, _ and -");
}

void entry_exported(const Options &options) {
  for (const std::string &name : Elf(options).defined())
    if (name == "bench_plugin_v1") return;
  throw Broken("it does not export bench_plugin_v1");
}

void only_entry(const Options &options) {
  std::vector<std::string> others;
  // Sanitizers' start code exports a few of its own.
  for (const std::string &name : Elf(options).defined())
    if (name.rfind("bench_plugin_v", 0) != 0 && name.rfind("__asan", 0) != 0 &&
        name.rfind("__odr_asan", 0) != 0)
      others.push_back(name);
  require(others.empty(), "it also exports " + joined(others));
}

void unique_symbols(const Options &options) {
  const Elf file(options);
  for (const Elf64_Sym &symbol : file.symbols)
    require(symbol.st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) != STB_GNU_UNIQUE,
            "symbol " + file.text(symbol.st_name) + " is unique in the process");
}

void no_driver_link(const Options &options) {
  static const char *const drivers[] = {"libcuda.", "libcudart", "libnvidia-", "libamdhip",
                                        "libhsa-",  "libze_",    "libOpenCL",  "libvulkan",
                                        "libnvrtc", "libhiprtc", "libcupti",   "librocprofiler"};
  for (const std::string &name : Elf(options).needed())
    for (const char *driver : drivers)
      require(name.rfind(driver, 0) != 0,
              "it links " + name + "; open it with dlopen at the first use");
}

void no_core_link(const Options &options) {
  for (const std::string &name : Elf(options).needed())
    require(name != "libbench.so" && name.rfind("libbench.so.", 0) != 0,
            "it links the core, " + name);
}

void no_bundles(const Options &options) {
  static const char *const bundles[] = {"libLLVM", "libprotobuf", "libomp",   "libgomp",
                                        "libiomp", "libtbb",      "libpython"};
  for (const std::string &name : Elf(options).needed())
    for (const char *bundle : bundles)
      if (name.rfind(bundle, 0) == 0)
        throw Doubtful("it links " + name + ", of which a framework brings a copy of its own");
}

void no_exec_stack(const Options &options) {
  for (const Elf64_Phdr &segment : Elf(options).segments)
    require(segment.p_type != PT_GNU_STACK || !(segment.p_flags & PF_X),
            "it asks for an executable stack");
}

void no_write_exec(const Options &options) {
  for (const Elf64_Phdr &segment : Elf(options).segments)
    require(segment.p_type != PT_LOAD || (segment.p_flags & (PF_W | PF_X)) != (PF_W | PF_X),
            "a segment is both writable and executable");
}

void no_text_relocations(const Options &options) {
  const Elf file(options);
  require(!file.has(DT_TEXTREL) && !(file.flags(DT_FLAGS) & DF_TEXTREL), "it has text relocations");
}

void no_static_tls(const Options &options) {
  if (Elf(options).flags(DT_FLAGS) & DF_STATIC_TLS)
    throw Doubtful(
        "it uses initial-exec thread-local storage, of which a process has little; build with "
        "-ftls-model=global-dynamic");
}

void no_relative_search(const Options &options) {
  const Elf file(options);
  for (const Elf64_Dyn &entry : file.dynamic) {
    if (entry.d_tag != DT_RPATH && entry.d_tag != DT_RUNPATH) continue;
    const std::string path = file.text(entry.d_un.d_val);
    std::size_t at = 0;
    while (at <= path.size()) {
      const std::size_t end = std::min(path.find(':', at), path.size());
      const std::string element = path.substr(at, end - at);
      require(
          !element.empty() && (element[0] == '/' || element.rfind("$ORIGIN", 0) == 0),
          "its run path has the element '" + element + "', which depends on the current folder");
      at = end + 1;
    }
  }
}

void has_note(const Options &options) {
  const std::string note = Elf(options).note();
  if (note.empty()) throw Doubtful("it carries no description; add BENCH_PLUGIN_NOTE");
  require(
      note.front() == '{' && note.back() == '}' && note.find("\"schema\":1") != std::string::npos,
      "its description is not the SDK's: " + note);
}

}  // namespace

const std::vector<Check> &static_checks() {
  static const std::vector<Check> checks = {
      {"static.whole_file", "The file is a whole 64-bit ELF shared object for this machine.",
       whole_file},
      {"static.file_name", "The file's name is one that the loader looks for.", file_name},
      {"static.entry_exported", "The entry symbol bench_plugin_v1 is exported.", entry_exported},
      {"static.only_entry", "Nothing else is exported that another library could bind to.",
       only_entry},
      {"static.unique_symbols", "No symbol is shared by all copies of it in a process.",
       unique_symbols},
      {"static.no_driver_link", "The vendor's driver is not linked: listing works without it.",
       no_driver_link},
      {"static.no_core_link", "The core library is not linked: two cores may load the file.",
       no_core_link},
      {"static.no_bundles", "No runtime is linked of which a framework has its own copy.",
       no_bundles},
      {"static.no_exec_stack", "Loading does not make the process's stacks executable.",
       no_exec_stack},
      {"static.no_write_exec", "No segment is writable and executable.", no_write_exec},
      {"static.no_text_relocations", "Loading does not write into code.", no_text_relocations},
      {"static.no_static_tls", "It can be loaded late: no initial-exec thread-local storage.",
       no_static_tls},
      {"static.no_relative_search", "Its libraries are not looked for in the current folder.",
       no_relative_search},
      {"static.note", "It describes itself in an ELF note, which tools read without running it.",
       has_note},
  };
  return checks;
}

}  // namespace check
