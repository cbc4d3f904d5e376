// What a run has to put back, on disk while it stands: for the case that its launcher and its cleanup process
// are both killed.
#pragma once

#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "cleanup/guarded_config.h"
#include "cleanup/guarded_configs.h"
#include "cleanup/recover.h"
#include "mxc/error.h"

namespace mxc {

// Removed when it goes out of scope; whoever is killed leaves it.
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

  // All is judged, or put back. Safe to call where the record is another process's.
  void Remove();
  // Only these are not: what is known of them stays.
  void Settle(const std::vector<RestoredConfigs::Left>& left);
  // Another process has done that.
  void Forget() { path_.clear(); }

 private:
  std::string path_ = {};
  UniqueFd file_ = {};  // locked as long as the launcher lives
};

// Puts back what records of runs say that are gone. A record stays as long as something in it is not put
// back, until somebody removes it.
[[nodiscard]] Recovery RestoreByRecords();

}  // namespace mxc
