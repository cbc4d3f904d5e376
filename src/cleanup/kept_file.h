// Remembers a file or a tree whole, compares it, and restores it.
//
//   KeptFile hooks;
//   if (Keep(directory, "hooks", room, hooks) != 0) ...
//   if (!IsAsKept(directory, "hooks", hooks)) MakeAgain(directory, "hooks", hooks);
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <string>

#include "mxc/error.h"

namespace mxc {

struct KeptFile {
  mode_t mode = 0;  // with the type; 0: the name does not exist
  uid_t uid = 0;
  gid_t gid = 0;
  nlink_t links = 0;      // of a regular file
  std::string text = {};  // of a regular file; the target of a link
  std::map<std::string, KeptFile> entries = {};
  bool other_owner = false;  // the original owner or group could not be restored
};

// The room that is left for remembering.
struct KeepRoom {
  std::size_t files = 0;
  std::size_t bytes = 0;
  std::size_t levels = 200;  // of nested directories; each takes a descriptor
};

// -1 with errno: EFBIG if there is no room, or the kernel's.
[[nodiscard]] int Keep(int borrowed_directory, const std::string& name, KeepRoom& room, KeptFile& kept);
// Whether content, rights, owner and names are the same. Pipes, sockets and devices always count as the same.
[[nodiscard]] bool IsAsKept(int borrowed_directory, const std::string& name, const KeptFile& kept);
struct MadeAgain {
  std::string aside = {};    // new name of the object that stood there; "": there was none, or it is removed
  std::string failure = {};  // why the path is not as it was kept; "": it is
  bool changed = false;      // something stands there that did not, or the other way round
  bool stands = false;       // with a failure: something stands there
};

// Takes away the object at `name`, whatever else fails, and restores `kept`. If the file system is full, what
// was taken away is emptied or removed to make room. If an object of the same content was renamed before,
// gives that name. Updates `kept`: an ordinary user cannot restore owner and group, so the present ones get
// only the rights that everybody had.
[[nodiscard]] MadeAgain MakeAgain(int borrowed_directory, const std::string& name, KeptFile& kept);

}  // namespace mxc
