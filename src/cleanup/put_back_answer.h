// What the cleanup process tells the launcher of what it has put back: a message for each, over the socket
// between them.
#pragma once

#include <optional>

#include "cleanup/guarded_path.h"

namespace mxc {

void AnswerPutBack(int borrowed_socket, const PutBackReport& report);
// None: there was no whole answer in time.
[[nodiscard]] std::optional<PutBackReport> ReadPutBack(int borrowed_socket, int timeout_ms);

}  // namespace mxc
