#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <string_view>
#include <utility>
#include <variant>

#include "report/audit.h"

namespace mxc {
namespace {

// A JSON string. Bytes above ASCII are copied: paths and names are UTF-8 or nobody's.
std::string Quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\u{:04x}", byte);
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string TimeText(std::time_t seconds, std::uint64_t milliseconds) {
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, milliseconds);
}

std::string Now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return TimeText(now.tv_sec, static_cast<std::uint64_t>(now.tv_nsec) / 1000000);
}

std::string RandomName() {
  std::array<unsigned char, 8> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) < 0) return std::to_string(::getpid());
  std::string name;
  for (const unsigned char byte : bytes) name += fmt::format("{:02x}", byte);
  return name;
}

std::string LedgerText(const std::vector<Enforcement>& ledger) {
  std::string text;
  for (const Enforcement& entry : ledger) {
    text += fmt::format("{}{{\"clause\":{},\"strength\":{},\"mechanism\":{}}}", text.empty() ? "" : ",",
                        Quote(entry.pointer), Quote(Name(entry.strength)), Quote(entry.mechanism));
  }
  return "[" + text + "]";
}

std::string ListText(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + Quote(name);
  return "[" + text + "]";
}

std::string ReachedText(const std::vector<Resource>& reached) {
  std::vector<std::string> names;
  for (const Resource resource : reached) names.emplace_back(Name(resource));
  return ListText(names);
}

}  // namespace

Result<AuditLog> AuditLog::Open(const std::string& path) {
  AuditLog log;
  log.path_ = path;
  log.run_ = RandomName();
  // O_NONBLOCK: a fifo put there would otherwise hold us until somebody reads it.
  log.file_.Reset(
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!log.file_) return SystemError(ErrorCode::kSetupFailed, "open the audit log '" + path + "'", errno);
  struct stat status {};
  if (::fstat(log.file_.Get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return Error{.code = ErrorCode::kSetupFailed,
                 .message = "the audit log '" + path + "' is not a regular file",
                 .pointer = "/audit/path"};
  }
  return log;
}

Status AuditLog::Begin(const Plan& plan) {
  const auto* exec = std::get_if<Exec>(&plan.child);
  const std::string command = plan.command.empty() && exec != nullptr ? exec->program : plan.command;
  const std::string cwd = plan.cwd.empty() && exec != nullptr ? exec->cwd : plan.cwd;
  return Append(fmt::format(
      "{{\"event\":\"begin\",\"time\":{},\"run\":{},\"version\":{},\"pid\":{},\"uid\":{},\"containment\":{},"
      "\"tier\":{},\"rung\":{},\"notCovered\":{},\"command\":{},\"word\":{},\"arguments\":{},\"bytes\":{},"
      "\"cwd\":{},\"relaxations\":{},"
      "\"ledger\":{}}}\n",
      Quote(Now()), Quote(run_), Quote(MXC_VERSION), ::getpid(), ::getuid(), Quote(Name(plan.containment)),
      Quote(Name(plan.tier)), Quote(Name(plan.rung)), ListText(plan.not_covered), Quote(command),
      Quote(plan.shape.word), plan.shape.arguments, plan.shape.bytes, Quote(cwd), ListText(plan.relaxations),
      LedgerText(plan.ledger)));
}

Status AuditLog::Network(const GatewayRecord& record) {
  return Write(fmt::format(
      "{{\"event\":\"network\",\"time\":{},\"run\":{},\"kind\":{},\"verdict\":{},\"name\":{},\"address\":{},"
      "\"port\":{},\"pointer\":{},\"reason\":{},\"bytesOut\":{},\"bytesIn\":{},\"lost\":{}}}\n",
      Quote(TimeText(static_cast<std::time_t>(record.time_ms / 1000), record.time_ms % 1000)), Quote(run_),
      Quote(Name(record.event)), record.verdict == Verdict::kAllow ? "\"allow\"" : "\"deny\"",
      Quote(record.name), Quote(record.address), record.port, Quote(record.pointer), Quote(record.reason),
      record.bytes_out, record.bytes_in, record.lost));
}

Status AuditLog::End(const Result<Outcome>& result) {
  std::string rest;
  if (result) {
    rest = fmt::format(
        "\"exitCode\":{},\"signal\":{},\"timedOut\":{},\"interruptedBy\":{},\"reached\":{},\"durationMs\":{}",
        result->exit_code, result->signal, result->timed_out, result->interrupted_by,
        ReachedText(result->reached), result->duration_ms);
  } else {
    rest = "\"error\":" + Quote(Name(result.error().code));
  }
  return Append(
      fmt::format("{{\"event\":\"end\",\"time\":{},\"run\":{},{}}}\n", Quote(Now()), Quote(run_), rest));
}

// One write, so that lines of runs side by side do not mix.
Status AuditLog::Write(const std::string& line) {
  const ssize_t count = ::write(file_.Get(), line.data(), line.size());
  if (count < 0 || static_cast<std::size_t>(count) != line.size()) {
    return SystemError(ErrorCode::kSetupFailed, "write the audit log '" + path_ + "'",
                       count < 0 ? errno : ENOSPC);
  }
  return Done{};
}

Status AuditLog::Append(const std::string& line) {
  if (Status written = Write(line); !written) return written;
  if (::fdatasync(file_.Get()) != 0) {
    return SystemError(ErrorCode::kSetupFailed, "write the audit log '" + path_ + "' to disk", errno);
  }
  return Done{};
}

}  // namespace mxc
