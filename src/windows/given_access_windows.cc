#include "windows/given_access_windows.h"

#include <windows.h>

#include <utility>
#include <vector>

#include "access/bfs.h"
#include "access/loopback_exemption.h"
#include "access/loopback_exemption_windows.h"
#include "win32/run_tool_windows.h"
#include "windows/wsl_call_windows.h"

namespace mxc {
namespace {

ToolRun CallBfscfg(const std::vector<std::string>& arguments) {
  std::vector<std::string> argv{SystemDirectory() + "\\bfscfg.exe"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return RunTool(argv, kBfsLimitMs);
}

}  // namespace

Undoing UndoingHere() {
  return {.clear_bfs = [](const std::string& container) { return ClearBfs(container, CallBfscfg); },
          .end_exemption =
              [](std::string_view sid) {
                const AclLock lock{kExemptionLock};
                WindowsExemptions exemptions;
                return EndExemption(exemptions, sid);
              }};
}

Status GivenAccess::ChangeLists(const AppContainerSandbox& sandbox) {
  const AclLock lock;
  for (const AclChange& change : sandbox.acl) {
    if (Status applied = journal_->Apply(change); !applied) return applied;
  }
  return Done{};
}

Status GivenAccess::GrantFiles(const AppContainerSandbox& sandbox, const ContainerIdentity& container) {
  if (sandbox.bfs.empty()) return Done{};
  if (Status begun = journal_->BeginBfs(container.name); !begun) return begun;
  // What an earlier run has kept under a name that stays is no part of this policy.
  if (container.profile_to_delete.empty()) {
    if (Status cleared = ClearBfs(container.name, CallBfscfg); !cleared) return cleared;
  }
  return GrantByBfs(sandbox.bfs, container.name, CallBfscfg);
}

// One that was there before the run is somebody else's, and stays.
Status GivenAccess::OpenLoopback(const AppContainerSandbox& sandbox, const ContainerIdentity& container) {
  if (!sandbox.loopback_exempt) return Done{};
  const AclLock lock{kExemptionLock};
  WindowsExemptions exemptions;
  const Result<bool> before = IsExempt(exemptions, container.sid);
  if (!before) return before.error();
  if (*before) return Done{};
  if (Status begun = journal_->BeginExemption(); !begun) return begun;
  return Exempt(exemptions, container.sid);
}

Status GivenAccess::Give(const AppContainerSandbox& sandbox, const ContainerIdentity& container) {
  if (sandbox.acl.empty() && sandbox.bfs.empty() && !sandbox.loopback_exempt) return Done{};
  Result<JournalFile> file = JournalFile::Create(JournalDirectory());
  if (!file) return file.error();
  file_ = std::move(*file);
  AclRun run{.process = static_cast<std::int64_t>(::GetCurrentProcessId()),
             .created = CreationOf(::GetCurrentProcessId()),
             .sid = container.sid,
             .profile = container.profile_to_delete};
  journal_.emplace(
      store_, std::move(run), [this](const std::string& line) { return file_->Write(line); }, UndoingHere());
  if (Status begun = journal_->Begin(); !begun) return begun;
  if (Status changed = ChangeLists(sandbox); !changed) return changed;
  if (Status granted = GrantFiles(sandbox, container); !granted) return granted;
  if (Status opened = OpenLoopback(sandbox, container); !opened) return opened;
  if (!sandbox.bfs_kept) return Done{};
  journal_->KeepBfs();
  observer_.OnWarning({.category = "policy-kept",
                       .message = "what bfscfg.exe grants '" + container.name +
                                  "' stays: `bfscfg.exe --clearpolicy --appid` takes it away",
                       .pointer = "/lifecycle/preservePolicy"});
  return Done{};
}

void GivenAccess::TakeAway() {
  if (!journal_) return;
  const AclLock lock;
  const Unrestored left = journal_->Undo();
  if (!left.reason) return file_->Remove();
  observer_.OnWarning({.category = "access-left",
                       .message = left.reason->message + "; the next start, or --recover, tries again"});
}

}  // namespace mxc
