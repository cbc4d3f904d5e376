// The folder of a sandbox of Windows that stays, which is its owner's alone: its record, and while its
// machine runs what host and guest share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mxc/error.h"
#include "persistent/id.h"
#include "persistent/record.h"

namespace mxc::session {

// Milliseconds of the host's clock, of which the record speaks.
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
  [[nodiscard]] Status Write(const Record& record) const;  // in one step: the old one, or the new one
  [[nodiscard]] Status Remove() const;                     // from here on it is dead

  [[nodiscard]] std::optional<Record> Read() const;
  // When a command, or a change of the sandbox, last began or ended.
  [[nodiscard]] std::uint64_t UsedMs() const;
  // One of the record's limits has passed.
  [[nodiscard]] bool IsOver(const Record& record) const;
  // Milliseconds, at least one; 0: it has no limit.
  [[nodiscard]] static std::uint64_t LifetimeLeft(const Record& record);

 private:
  SandboxId id_;
  std::string path_;
};

}  // namespace mxc::session
