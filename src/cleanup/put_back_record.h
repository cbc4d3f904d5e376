// What GuardedPaths guards, on disk while a run lasts: a later call restores what nobody could.
#pragma once

#include <vector>

#include "cleanup/guarded_paths.h"
#include "cleanup/run_record.h"
#include "mxc/error.h"

namespace mxc {

class PutBackRecord {
 public:
  // As RunRecord: before the locks are taken, and written when they are. Errors: kSetupFailed.
  [[nodiscard]] static Result<PutBackRecord> Reserve();
  [[nodiscard]] Status Write(const GuardedPaths& paths);
  // Its judge restores what the records of ended runs name, unless its directory is another one now, or what
  // was missing has been made anew. A record stays until nothing in it is left to restore, or somebody
  // removes it.
  [[nodiscard]] static RecordKind Kind();

  // To be called when nothing of the sandbox lives any more: keeps what could not be restored.
  void Settle(const GuardedPaths& paths);
  [[nodiscard]] int Descriptor() const { return record_.Descriptor(); }  // as of RunRecord
  // Another process has settled it.
  void Forget() { record_.Forget(); }

 private:
  RunRecord record_ = {};
};

}  // namespace mxc
