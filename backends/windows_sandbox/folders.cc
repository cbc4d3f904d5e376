#include "backends/windows_sandbox/folders.h"

#include <string>
#include <string_view>
#include <utility>

#include "mxc/windows/path.h"

namespace mxc::windows_sandbox {
namespace {

constexpr std::string_view kGuestDrive = "C:";
constexpr std::string_view kGuestWindows = "C:\\Windows";

Error Refuse(ErrorCode code, const PathRule& rule, std::string why, std::string hint) {
  return {.code = code,
          .message = "'" + rule.path + "' " + std::move(why),
          .pointer = rule.pointer,
          .hint = std::move(hint)};
}

Status CheckFolder(const PathRule& rule) {
  if (rule.object && rule.object->type != FileType::kDirectory) {
    return Refuse(ErrorCode::kConflict, rule, "is a file: the machine shares folders",
                  "name its folder, or copy it into one of its own");
  }
  if (!IsOnDrive(rule.path) || !IsSameWindowsName(rule.path.substr(0, 2), kGuestDrive)) {
    return Refuse(ErrorCode::kConflict, rule, "is not on the drive C:, the only one of the machine",
                  "copy what the command needs to C:");
  }
  if (IsDriveRoot(rule.path) || IsAtOrBelowOnWindows(rule.path, kGuestWindows)) {
    return Refuse(ErrorCode::kConflict, rule, "is what the machine has of its own",
                  "name the folders that the command needs");
  }
  return Done{};
}

bool AreNested(std::string_view left, std::string_view right) {
  return IsAtOrBelowOnWindows(left, right) || IsAtOrBelowOnWindows(right, left);
}

}  // namespace

Result<std::vector<MappedFolder>> FoldersFor(const std::vector<PathRule>& rules) {
  std::vector<MappedFolder> folders;
  for (const PathRule& rule : rules) {
    if (rule.access == Access::kDenied) continue;
    if (Status checked = CheckFolder(rule); !checked) return checked.error();
    for (const MappedFolder& folder : folders) {
      if (!AreNested(rule.path, folder.path)) continue;
      return Refuse(ErrorCode::kUnenforceable, rule,
                    "stands in '" + folder.path + "': a folder is shared as a whole", "name one of the two");
    }
    folders.push_back({.path = rule.path, .read_only = rule.access == Access::kReadOnly});
  }
  for (const PathRule& rule : rules) {
    if (rule.access != Access::kDenied) continue;
    for (const MappedFolder& folder : folders) {
      if (!AreNested(rule.path, folder.path)) continue;
      return Refuse(ErrorCode::kUnenforceable, rule,
                    "is denied, and '" + folder.path + "' is shared as a whole",
                    "share the folders beside it one by one");
    }
  }
  return folders;
}

}  // namespace mxc::windows_sandbox
