// The audit log: one JSON object a line, one when a run begins and one when it ends, each chained to the line
// before it (audit_chain.h).
//
//   Result<AuditLog> log = AuditLog::Open({.path = "/var/log/mxc/audit.jsonl"});
//   Status written = log->Begin(plan);  // on disk before the command starts
//   log->End(outcome);
//
// No secret is in it: of the command its name and size, and the first word of a command line when that is
// plainly a program; of the environment nothing.
#pragma once

#include <string>

#include "mxc/error.h"
#include "mxc/outcome.h"
#include "mxc/plan.h"
#include "report/audit_file.h"

namespace mxc {

class AuditLog {
 public:
  // As AuditFile::Open. Where the audit names syslog, nothing is written that the system's log does not
  // witness.
  [[nodiscard]] static Result<AuditLog> Open(const Audit& audit);

  // Errors: kSetupFailed. Begin and End return when the line is on disk.
  [[nodiscard]] Status Begin(const Plan& plan);
  // A decision of the network gateway; on disk with the next End.
  [[nodiscard]] Status Network(const GatewayRecord& record);
  // ... that another call has written: it counts at our End as well.
  void Count(const GatewayRecord& record);
  [[nodiscard]] Status End(const Result<Outcome>& result);

 private:
  AuditLog(Audit audit, AuditFile file);
  [[nodiscard]] Status Append(std::string_view event, const std::string& line);  // to disk
  [[nodiscard]] std::string EndLine(const std::string& rest) const;
  Audit audit_;
  AuditFile file_;
  std::uint64_t denied_ = 0;  // by the gateway
  std::string run_;           // of the plan, or random; ties its lines together
};

}  // namespace mxc
