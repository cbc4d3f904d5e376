#include "review/approval.h"

namespace mxc {
namespace {

Error OnLinuxAlone() {
  return {.code = ErrorCode::kUnsupported, .message = "commands are approved on Linux alone"};
}

}  // namespace

std::string IdentityOfPlace(const std::string& /*path*/) { return {}; }

bool IsPlace(const std::string& /*path*/, const FileObject& /*object*/) { return true; }

Result<std::string> LeaveNote(const std::string& /*request_hash*/) { return OnLinuxAlone(); }

Result<NoteTaken> TakeNote(const std::string& /*approval*/, const std::string& /*request_hash*/) {
  return OnLinuxAlone();
}

}  // namespace mxc
