// A command's calls with paths, from the kernel's seccomp notifications (--report).
#pragma once

#include <string>
#include <string_view>

namespace mxc {

enum class FileUse {
  kLook,  // stat and the like
  kRead,
  kWrite,  // change, create or remove
  kExecute,
  kConnect,  // to a Unix socket
};

[[nodiscard]] std::string_view Name(FileUse use);  // "look", "read", "write", "execute", "connect"

struct FileCall {
  FileUse use = FileUse::kLook;
  std::string path = {};     // absolute, inside the sandbox; may contain "..", links and missing components
  bool directory = false;    // kWrite: creates a directory
  bool link_itself = false;  // does not follow a link at the end
};

// Why the policy denied a call.
struct FileDenial {
  FileUse use = FileUse::kLook;
  std::string path = {};     // canonical
  std::string reason = {};   // "read-only"
  std::string pointer = {};  // clause that decided; empty: a default did
  std::string grant = {};    // path that an additional grant would have to name
  std::string make = {};     // "mkdir", "touch": how to create `grant` first
  std::string profile = {};  // better than `grant`: a profile that gives the command a directory of its own
  std::string advice = {};   // without `grant` and `pointer`: what helps, in words
  bool untold = false;       // not in short reports: denied by name, a secret, or only looked at
};

}  // namespace mxc
