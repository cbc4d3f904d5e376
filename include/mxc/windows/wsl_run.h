// A run of the Linux mxc-exec in a distribution of WSL, as data. backends/wsl writes it, src/windows
// hands it over through wsl.exe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/secret.h"
#include "mxc/windows/sandbox_run.h"

namespace mxc {

struct WslRun {
  std::string distribution = {};           // as WSL names it
  std::string program = {};                // absolute path of mxc-exec in it
  std::vector<TextPart> config = {};       // the JSON document that mxc-exec runs
  std::vector<MappedFolder> folders = {};  // of Windows, and files, that the command reaches
};

// What wsl.exe itself says is UTF-16 without a mark, or UTF-8 when it is new enough to be asked for that;
// what programs inside write is theirs. UTF-8 without carriage returns.
[[nodiscard]] std::string WslText(std::string_view bytes);

}  // namespace mxc
