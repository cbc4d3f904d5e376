// The folder of a persistent sandbox on Windows, accessible to its owner only: its record and, while its
// virtual machine runs, the files that host and guest share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mxc/error.h"
#include "persistent/id.h"
#include "persistent/record.h"

namespace mxc::session {

// Milliseconds of the host's clock, as in records.
[[nodiscard]] std::uint64_t ClockMs();

class SandboxFolder {
 public:
  explicit SandboxFolder(SandboxId id);
  [[nodiscard]] static std::vector<SandboxFolder> All();
  [[nodiscard]] static bool AnyWasMade();

  [[nodiscard]] const SandboxId& Id() const { return id_; }
  [[nodiscard]] const std::string& Path() const { return path_; }
  [[nodiscard]] std::string Of(const char* name) const { return path_ + "\\" + name; }
  [[nodiscard]] bool IsThere() const;

  // Errors of these: kSetupFailed.
  [[nodiscard]] Status Make() const;
  [[nodiscard]] Status Write(const Record& record) const;  // atomic
  [[nodiscard]] Status Remove() const;

  [[nodiscard]] std::optional<Record> Read() const;
  // When a command or a change of the sandbox last began or ended.
  [[nodiscard]] std::uint64_t UsedMs() const;
  // Whether one of the record's limits has passed.
  [[nodiscard]] bool IsOver(const Record& record) const;
  // Milliseconds, at least one; 0: it has no limit.
  [[nodiscard]] static std::uint64_t LifetimeLeft(const Record& record);

 private:
  SandboxId id_;
  std::string path_;
};

}  // namespace mxc::session
