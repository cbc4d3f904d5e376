// The configurations that a run must restore, on disk while it lasts, in case both its launcher and its
// cleanup process are killed.
#pragma once

#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "cleanup/guarded_config.h"
#include "cleanup/guarded_configs.h"
#include "cleanup/recover.h"
#include "mxc/error.h"

namespace mxc {

// The destructor removes the record; a process that is killed leaves it.
class ConfigRecord {
 public:
  // In the caller's runtime directory, which no sandbox shows. Errors: kSetupFailed.
  [[nodiscard]] static Result<ConfigRecord> Write(const std::vector<GuardedConfig>& configs);

  ConfigRecord() = default;
  ConfigRecord(ConfigRecord&& other) noexcept;
  ConfigRecord& operator=(ConfigRecord&& other) noexcept;
  ConfigRecord(const ConfigRecord&) = delete;
  ConfigRecord& operator=(const ConfigRecord&) = delete;
  ~ConfigRecord() { Remove(); }

  // To be called when everything is judged or restored. Safe to call if the record is another process's.
  void Remove();
  // Everything but `left` is judged or restored: keeps `left` in the record.
  void Settle(const std::vector<RestoredConfigs::Left>& left);
  // Another process has removed it.
  void Forget() { path_.clear(); }

 private:
  std::string path_ = {};
  UniqueFd file_ = {};  // locked as long as the launcher lives
};

// Restores what the records of killed runs name. A record stays until everything in it is restored, or
// somebody removes it. One that cannot be read is kept under another name, and is a problem once.
[[nodiscard]] Recovery RestoreByRecords();

}  // namespace mxc
