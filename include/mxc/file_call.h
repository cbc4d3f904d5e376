// What a command asks of files, as the kernel tells it while the command runs (--report).
#pragma once

#include <string>
#include <string_view>

namespace mxc {

enum class FileUse {
  kLook,  // is it there, what is it
  kRead,
  kWrite,  // change it, make it, remove it
  kExecute,
  kConnect,  // to a Unix socket
};

[[nodiscard]] std::string_view Name(FileUse use);  // "look", "read", "write", "execute", "connect"

struct FileCall {
  FileUse use = FileUse::kLook;
  std::string path = {};     // absolute, inside the sandbox; "..", links and what is missing are still in it
  bool directory = false;    // kWrite: one is to be made
  bool link_itself = false;  // a link at the end is not followed
};

// Why the policy kept a file from it.
struct FileDenial {
  FileUse use = FileUse::kLook;
  std::string path = {};     // canonical
  std::string reason = {};   // "read-only"
  std::string pointer = {};  // clause that decided; empty: a default did
  std::string grant = {};    // path that a further grant would have to name
  std::string make = {};     // "mkdir", "touch": how `grant` has to be made first
  std::string profile = {};  // better than `grant`: one that gives the command a directory of its own
  std::string advice = {};   // without `grant` and clause: what helps, in words
  bool untold = false;       // to the command: denied by name, of secrets, or looked at in passing
};

}  // namespace mxc
