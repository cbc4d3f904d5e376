// The configurations that a run must restore, on disk while it lasts, in case both its launcher and its
// cleanup process are killed.
#pragma once

#include <vector>

#include "cleanup/guarded_config.h"
#include "cleanup/guarded_configs.h"
#include "cleanup/run_record.h"
#include "mxc/error.h"

namespace mxc {

class ConfigRecord {
 public:
  // As RunRecord: before the locks are taken, and written when they are. Errors: kSetupFailed.
  [[nodiscard]] static Result<ConfigRecord> Reserve();
  [[nodiscard]] Status Write(const std::vector<GuardedConfig>& configs);
  // Its judge restores what the records of killed runs name. A record stays until everything in it is
  // restored or its directory is another one, or somebody removes it.
  [[nodiscard]] static RecordKind Kind();

  // To be called when everything is judged or restored.
  void Remove() { record_.Remove(); }
  // Everything but `left` is judged or restored: keeps `left` in the record.
  void Settle(const std::vector<RestoredConfigs::Left>& left);
  [[nodiscard]] int Descriptor() const { return record_.Descriptor(); }  // as of RunRecord
  // Another process has removed it.
  void Forget() { record_.Forget(); }

 private:
  RunRecord record_ = {};
};

}  // namespace mxc
