// Where a configuration comes from, and its bytes.
#pragma once

#include <string>
#include <string_view>

#include "mxc/error.h"

namespace mxc {

struct Source {
  std::string name = {};   // for messages: the path, "<stdin>", "<base64>", "<fd 7>"
  std::string bytes = {};  // at most kMaxDocumentBytes
};

// Reads the whole file. Errors: kMalformed (exit status 1) when it cannot be read or is over the bound.
[[nodiscard]] Result<Source> ReadFileSource(const std::string& path);
[[nodiscard]] Result<Source> ReadDescriptorSource(int borrowed_fd, std::string name);
// Standard alphabet, padding required, no blanks (contract 1.2).
[[nodiscard]] Result<Source> DecodeBase64Source(std::string_view text);

}  // namespace mxc
