// What stands under a name in a directory: remembered whole, compared, and made again.
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
  mode_t mode = 0;  // type included; 0: nothing is there
  uid_t uid = 0;
  gid_t gid = 0;
  nlink_t links = 0;      // of a regular file
  std::string text = {};  // of a regular file, or where a link leads
  std::map<std::string, KeptFile> entries = {};
  bool other_owner = false;  // or group: what was there could not be given back
};

// What may still be remembered.
struct KeepRoom {
  std::size_t files = 0;
  std::size_t bytes = 0;
  std::size_t levels = 200;  // of directories in each other; each has one open
};

// -1 with errno: EFBIG when there is no room, or what the kernel says.
[[nodiscard]] int Keep(int borrowed_directory, const std::string& name, KeepRoom& room, KeptFile& kept);
// The same content, rights and owner, and no name more. Pipes, sockets and devices are alike.
[[nodiscard]] bool IsAsKept(int borrowed_directory, const std::string& name, const KeptFile& kept);
// Makes what was there, and renames what stands in its way: the new name of that, "" when nothing did. Where
// such a name has the same content already, that is the one. `kept` is what is there then: an ordinary user
// cannot give owner and group back, and who they are now gets no more than everybody had. Errors:
// kSetupFailed.
[[nodiscard]] Result<std::string> MakeAgain(int borrowed_directory, const std::string& name, KeptFile& kept);

}  // namespace mxc
