#include "mxc/file_call.h"

namespace mxc {

std::string_view Name(FileUse use) {
  switch (use) {
    case FileUse::kLook:
      return "look";
    case FileUse::kRead:
      return "read";
    case FileUse::kWrite:
      return "write";
    case FileUse::kExecute:
      return "execute";
    case FileUse::kConnect:
      return "connect";
  }
  return "";
}

}  // namespace mxc
