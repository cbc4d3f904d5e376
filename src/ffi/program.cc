#include "ffi/program.h"

#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace mxc::ffi {
namespace {

constexpr const char* kName = "/mxc-exec";

struct Search {
  std::uintptr_t address;
  std::string file;
};

int LookAtObject(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || search.address < begin || search.address >= begin + part.p_memsz) continue;
    search.file = object->dlpi_name;
    return 1;
  }
  return 0;
}

// With its links resolved. Empty: linked into the calling program, or it has been moved.
std::string FolderOfLibrary() {
  Search search{.address = reinterpret_cast<std::uintptr_t>(&FolderOfLibrary), .file = {}};
  ::dl_iterate_phdr(LookAtObject, &search);
  if (search.file.find('/') == std::string::npos) return {};
  char* const real = ::realpath(search.file.c_str(), nullptr);
  if (real == nullptr) return {};
  std::string folder = real;
  std::free(real);
  return folder.substr(0, folder.rfind('/'));
}

bool IsThere(const std::string& path) { return path.front() == '/' && ::access(path.c_str(), X_OK) == 0; }

// A set-user-ID program takes no advice from whoever calls it.
std::string_view Variable(const char* name) {
  const char* const value = ::secure_getenv(name);
  return value == nullptr ? "" : value;
}

// Lists of folders, as PATH has them; a relative one may be anybody's.
std::string FirstIn(std::string_view folders) {
  while (!folders.empty()) {
    const std::size_t colon = folders.find(':');
    const std::string_view folder = folders.substr(0, colon);
    std::string path = std::string(folder) + kName;
    if (!folder.empty() && IsThere(path)) return path;
    folders.remove_prefix(colon == std::string_view::npos ? folders.size() : colon + 1);
  }
  return {};
}

std::string Locate() {
  if (const std::string folder = FolderOfLibrary(); !folder.empty()) {
    for (const char* const place : {"", "/../bin", "/../../bin"}) {  // of lib/, of lib/x86_64-linux-gnu/
      std::string path = folder + place + kName;
      if (IsThere(path)) return path;
    }
  }
  const std::string named{Variable("MXC_EXEC")};
  return named.empty() ? FirstIn(Variable("PATH")) : named;
}

}  // namespace

Failure FindProgram(std::string& path) {
  path = Locate();
  if (path.empty()) {
    return {.status = MXC_BACKEND_UNAVAILABLE,
            .message = "the program mxc-exec was not found",
            .remediation = "install it beside libmxc_ffi.so or on PATH, or name it in MXC_EXEC"};
  }
  struct statx file {};
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_TYPE | STATX_MODE | STATX_UID | STATX_GID, &file) != 0) {
    Failure failure = SystemFailure("statx");
    failure.message = path + ": " + failure.message;
    return failure;
  }
  const bool regular = S_ISREG(file.stx_mode);
  const bool owned = file.stx_uid == 0 || file.stx_uid == ::geteuid();
  const bool shared = (file.stx_mode & S_IWGRP) != 0 && file.stx_gid != 0 && file.stx_gid != ::getegid();
  if (regular && owned && !shared && (file.stx_mode & S_IWOTH) == 0) return {};
  return {.status = MXC_BACKEND_UNAVAILABLE,
          .message = path + " is not run: " +
                     (regular ? "it belongs to another user, or others may write to it" : "it is no file"),
          .remediation = "install mxc-exec as root, or as yourself with mode 755"};
}

}  // namespace mxc::ffi
