// The cleanup process's report to the launcher of restored paths: a message for each, over their socket.
#pragma once

#include <optional>

#include "cleanup/guarded_path.h"

namespace mxc {

void AnswerPutBack(int borrowed_socket, const PutBackReport& report);
// Absent: no complete answer came in time.
[[nodiscard]] std::optional<PutBackReport> ReadPutBack(int borrowed_socket, int timeout_ms);

}  // namespace mxc
