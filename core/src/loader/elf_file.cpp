// SPDX-License-Identifier: Apache-2.0
#include "loader/elf_file.hpp"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "bench/plugin_v1.h"

namespace bench::loader {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t host_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t host_machine = EM_AARCH64;
#elif defined(__riscv)
constexpr std::uint16_t host_machine = EM_RISCV;
#else
#error "name this machine's ELF number here"
#endif

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_386:
      return "32-bit x86";
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "aarch64";
    case EM_ARM:
      return "32-bit Arm";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "ppc64";
    case EM_S390:
      return "s390x";
    default:
      return "machine type " + std::to_string(machine);
  }
}

/// A file's bytes in memory. Read, not mapped: a file cut while it is mapped would be a SIGBUS
/// again.
std::optional<ElfFault> read_bytes(const std::string &path, std::vector<unsigned char> &bytes,
                                   std::uint64_t &size) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return ElfFault{std::string("cannot be opened: ") + ::strerror(errno), "check its permissions"};
  struct stat status {};
  std::optional<ElfFault> fault;
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    fault = ElfFault{S_ISDIR(status.st_mode) ? "is a directory" : "is no regular file",
                     "name the plugin's file, libbench_<device>.so"};
  } else {
    size = static_cast<std::uint64_t>(status.st_size);
    // Headers, dynamic section and notes lie in the first bytes of every linker's output; large
    // kernels that follow need not be read.
    constexpr std::uint64_t most = 64u << 20;
    bytes.resize(static_cast<std::size_t>(std::min(size, most)));
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n =
          ::pread(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      done += static_cast<std::size_t>(n);
    }
    bytes.resize(done);
  }
  ::close(descriptor);
  return fault;
}

class Reader {
 public:
  Reader(const std::vector<unsigned char> &bytes, std::uint64_t size)
      : bytes_(bytes), size_(size) {}

  template <typename T>
  bool get(std::uint64_t offset, T &value) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof value) return false;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return true;
  }
  std::string text(std::uint64_t offset) const {
    std::string result;
    while (offset < bytes_.size() && bytes_[offset] != 0)
      result += static_cast<char>(bytes_[offset++]);
    return result;
  }
  bool inside(std::uint64_t offset, std::uint64_t length) const {
    return offset <= size_ && length <= size_ - offset;
  }
  std::uint64_t size() const { return size_; }
  const unsigned char *at(std::uint64_t offset) const { return bytes_.data() + offset; }
  bool loaded(std::uint64_t offset, std::uint64_t length) const {
    return offset <= bytes_.size() && length <= bytes_.size() - offset;
  }

 private:
  const std::vector<unsigned char> &bytes_;
  std::uint64_t size_;
};

void read_notes(const Reader &reader, const Elf64_Phdr &segment, ElfFile &file) {
  std::uint64_t at = segment.p_offset;
  const std::uint64_t end = segment.p_offset + segment.p_filesz;
  const std::uint64_t align = segment.p_align == 8 ? 8 : 4;
  const auto padded = [align](std::uint64_t n) { return (n + align - 1) / align * align; };
  Elf64_Nhdr header;
  while (at + sizeof header <= end && reader.get(at, header)) {
    const std::uint64_t name_at = at + sizeof header;
    const std::uint64_t text_at = name_at + padded(header.n_namesz);
    const std::uint64_t next = text_at + padded(header.n_descsz);
    if (next > end + align ||
        !reader.loaded(name_at, next - name_at > end - name_at ? end - name_at : next - name_at))
      return;
    const std::string name = reader.text(name_at);
    if (name == BENCH_NOTE_NAME && header.n_type == BENCH_NOTE_TYPE &&
        reader.loaded(text_at, header.n_descsz)) {
      file.note.assign(reinterpret_cast<const char *>(reader.at(text_at)), header.n_descsz);
      file.note.resize(::strnlen(file.note.c_str(), file.note.size()));
    }
    if (name == "GNU" && header.n_type == NT_GNU_BUILD_ID &&
        reader.loaded(text_at, header.n_descsz)) {
      static constexpr char digits[] = "0123456789abcdef";
      for (std::uint32_t i = 0; i < header.n_descsz; ++i) {
        file.build_id += digits[reader.at(text_at)[i] >> 4];
        file.build_id += digits[reader.at(text_at)[i] & 15];
      }
    }
    at = next;
  }
}

void read_dynamic(const Reader &reader, const Elf64_Phdr &dynamic,
                  const std::vector<Elf64_Phdr> &segments, ElfFile &file) {
  std::uint64_t strings = 0;
  std::vector<std::uint64_t> needed;
  Elf64_Dyn entry;
  for (std::uint64_t at = dynamic.p_offset;
       at + sizeof entry <= dynamic.p_offset + dynamic.p_filesz && reader.get(at, entry) &&
       entry.d_tag != DT_NULL;
       at += sizeof entry) {
    if (entry.d_tag == DT_NEEDED) needed.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
    if (entry.d_tag == DT_FLAGS) file.static_tls = (entry.d_un.d_val & DF_STATIC_TLS) != 0;
  }
  for (const Elf64_Phdr &segment :
       segments) {  // the table's address, back to its place in the file
    if (segment.p_type != PT_LOAD || strings < segment.p_vaddr ||
        strings >= segment.p_vaddr + segment.p_filesz)
      continue;
    const std::uint64_t offset = strings - segment.p_vaddr + segment.p_offset;
    for (const std::uint64_t name : needed) file.needed.push_back(reader.text(offset + name));
    return;
  }
}

}  // namespace

ElfFile inspect_elf(const std::string &path) {
  ElfFile file;
  std::vector<unsigned char> bytes;
  std::uint64_t size = 0;
  if ((file.fault = read_bytes(path, bytes, size))) return file;
  const Reader reader(bytes, size);
  const auto fault = [&](std::string what, std::string hint) {
    file.fault = ElfFault{std::move(what), std::move(hint)};
    return file;
  };
  if (size == 0) return fault("is empty", "build or copy the plugin again");
  if (bytes.size() < 4 || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) {
    return fault("is no shared library (no ELF magic)",
                 "only files built as shared objects may have this name");
  }
  Elf64_Ehdr header;
  if (bytes.size() > EI_CLASS && bytes[EI_CLASS] == ELFCLASS32) {
    return fault(
        "is built for a 32-bit machine; this process is 64-bit " + machine_name(host_machine),
        "use the vendor's 64-bit package");
  }
  if (!reader.get(0, header))
    return fault("is truncated: its header is cut off", "copy the file again, whole");
  if (header.e_ident[EI_DATA] != ELFDATA2LSB)
    return fault("is built for a big-endian machine",
                 "use the vendor's package for " + machine_name(host_machine));
  if (header.e_machine != host_machine) {
    return fault("is built for " + machine_name(header.e_machine) + "; this machine is " +
                     machine_name(host_machine),
                 "use the vendor's package for " + machine_name(host_machine));
  }
  if (header.e_type != ET_DYN)
    return fault("is an object or a program, no shared library", "link it with -shared");
  std::vector<Elf64_Phdr> segments(header.e_phentsize == sizeof(Elf64_Phdr) ? header.e_phnum : 0);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!reader.get(header.e_phoff + i * sizeof(Elf64_Phdr), segments[i]))
      return fault("is truncated: its segment table is cut off", "copy the file again, whole");
    if (segments[i].p_type == PT_LOAD &&
        !reader.inside(segments[i].p_offset, segments[i].p_filesz)) {
      return fault("is truncated: a segment ends at byte " +
                       std::to_string(segments[i].p_offset + segments[i].p_filesz) +
                       " of a file of " + std::to_string(size),
                   "copy the file again, whole");
    }
  }
  if (segments.empty()) return fault("has no segments to load", "link it as a shared object");
  for (const Elf64_Phdr &segment : segments) {
    if (segment.p_type == PT_NOTE) read_notes(reader, segment, file);
    if (segment.p_type == PT_DYNAMIC) read_dynamic(reader, segment, segments, file);
  }
  return file;
}

}  // namespace bench::loader
