// The folder of one run, below %LOCALAPPDATA%, for what is handed to another system. Only the caller and the
// system may open it. Removed with the run; when the run was killed, by a later start.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "mxc/error.h"

namespace mxc {

class RunFolder {
 public:
  // Errors: kSetupFailed.
  [[nodiscard]] static Result<RunFolder> Make();
  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();

  [[nodiscard]] const std::string& Path() const { return path_; }
  // Nobody can guess it.
  [[nodiscard]] std::string Token() const;
  [[nodiscard]] std::string Of(std::string_view name) const { return path_ + "\\" + std::string(name); }

 private:
  explicit RunFolder(std::string path) : path_(std::move(path)) {}
  std::string path_ = {};
};

// Folders of runs whose process is gone.
void RemoveLeftFolders();

}  // namespace mxc
