// A run of the Linux mxc-exec in a WSL distribution, as data. backends/wsl makes it, src/windows runs it
// through wsl.exe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/secret.h"
#include "mxc/windows/sandbox_run.h"

namespace mxc {

struct WslRun {
  std::string distribution = {};           // WSL's name
  std::string program = {};                // absolute path of mxc-exec in it
  std::vector<TextPart> config = {};       // the JSON document that mxc-exec runs
  std::vector<MappedFolder> folders = {};  // Windows folders, and files, that the command reaches
};

// Converts output of wsl.exe itself to UTF-8 without carriage returns: it is UTF-16 without a byte order
// mark, or UTF-8 from newer versions on request. Programs inside may write any other bytes.
[[nodiscard]] std::string WslText(std::string_view bytes);

}  // namespace mxc
