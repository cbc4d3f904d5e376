// start, exec and stop: the lifecycle without documents. Answers are for people and shells, and refusals
// those of a run.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quoted.h"
#include "base/terminal.h"
#include "lifecycle.h"
#include "lifecycle_parts.h"
#include "persistent/persistent.h"
#include "read_request.h"
#include "report/report.h"
#include "run_report.h"

namespace mxc {
namespace {

using session::SandboxId;

constexpr int kErrorStream = 2;

int RefuseVerb(const Error& error) {
  PrintError(error);
  return ExitStatus(error.code);
}

// ... with what the error says of the sandbox.
int RefuseVerb(const Error& error, session::Receipt& receipt) {
  if (IsDelivered([&] { PrintError(error); })) receipt.Give();
  return ExitStatus(error.code);
}

// `word` is its identifier, or a beginning of it; the containment in front may be left out.
bool IsMeant(const session::Listed& listed, std::string_view word) {
  const std::string_view id = listed.id;
  return id.starts_with(word) || id.substr(id.find(':') + 1).starts_with(word);
}

bool IsDead(const session::Listed& listed) { return listed.state == session::kDead; }

std::string ThoseThatStand(std::vector<session::Listed> all) {
  constexpr std::size_t kMost = 5;
  std::erase_if(all, IsDead);
  if (all.empty()) return "you have none: `mxc-exec start --rw .` makes one";
  std::string text = "yours:";
  for (std::size_t i = 0; i < all.size() && i < kMost; ++i) text += " " + all[i].id;
  return all.size() > kMost ? text + " and others: mxc-exec list" : text;
}

// Of a request with a phase the errors speak of phases, and of places in a document.
Error InWordsOfVerbs(Error error, const std::string& word) {
  error.pointer.clear();
  if (error.code == ErrorCode::kStaleId || error.code == ErrorCode::kNotProvisioned) {
    error.message = Quoted(word) + ": " + error.message;
    std::vector<session::Listed> all = session::List();
    const bool dead = std::any_of(all.begin(), all.end(), [&](const session::Listed& listed) {
      return IsDead(listed) && IsMeant(listed, word);
    });
    error.hint = dead ? fmt::format("clear it away, and start another: mxc-exec stop {}", ShellWord(word))
                      : ThoseThatStand(std::move(all));
  }
  if (error.code == ErrorCode::kNotStarted)
    error.hint = fmt::format("end it, and start another: mxc-exec stop {}", ShellWord(word));
  return error;
}

// As Tellable, with what stops it in those words.
Error TellableByVerb(Error error, const SandboxId& id, const std::string& word) {
  const Status hidden = session::HideValuesOf(id);
  return hidden ? std::move(error) : InWordsOfVerbs(hidden.error(), word);
}

Result<SandboxId> FindSandbox(const std::string& word) {
  Result<SandboxId> whole = session::ParseSandboxId(word);
  if (whole) return whole;
  std::vector<std::string> found;
  bool any_digits = false;  // what is left of a variable that is not set stops nothing
  std::vector<session::Listed> all = session::List();
  for (const session::Listed& listed : all) {
    const std::size_t digits = listed.id.find(':') + 1;
    if (!IsMeant(listed, word)) continue;
    found.push_back(listed.id);
    any_digits = word.size() > (listed.id.starts_with(word) ? digits : 0);
  }
  if (found.size() == 1 && any_digits) return session::ParseSandboxId(found.front());
  const std::string problem = found.size() < 2 ? "there is no sandbox {}" : "several sandboxes begin with {}";
  return Error{.code = ErrorCode::kStaleId,
               .message = fmt::format(fmt::runtime(problem), Quoted(word)),
               .hint = ThoseThatStand(std::move(all))};
}

Error IdentifierNotPrinted() {
  return {.code = ErrorCode::kOutputLost,
          .message = "the identifier could not be written to standard output: the sandbox is ended"};
}

void PrintUse(const SandboxId& id) {
  if (!IsTerminal(kErrorStream)) return;
  constexpr std::size_t kEnough = 6;  // digits
  const std::string text = id.Text();
  const std::string beginning = text.substr(0, text.find(':') + 1 + kEnough);
  PrintMessage(
      fmt::format("  mxc-exec exec {0} -- CMD   runs a command in it\n"
                  "  mxc-exec stop {0}          ends it\n",
                  beginning));
}

Status StartAndPrint(const SandboxId& id, const Host& host) {
  session::Receipt receipt;
  const Result<std::vector<Warning>> warnings = StartSandbox(id, host, receipt);
  if (!warnings) return warnings.error();
  if (DeliverWarnings(*warnings)) receipt.Give();
  fmt::print("{}\n", id.Text());
  if (std::fflush(stdout) != 0) return IdentifierNotPrinted();
  PrintUse(id);
  return Done{};
}

Error NotHeldHere(Containment containment) {
  return Unsupported(fmt::format("no process of this machine holds a sandbox of '{}': none can stay with it",
                                 Name(containment)),
                     {}, "leave --foreground out");
}

// Until the sandbox has ended. After SIGHUP, and on a pipe without a reader, its warnings are not delivered.
int StayWith(session::Provisioned& sandbox) {
  constexpr int kSignalled = 128;
  const Result<session::Provisioned::End> end = sandbox.Wait();
  if (!end) return RefuseVerb(InWordsOfVerbs(end.error(), sandbox.id));
  if (DeliverWarnings(end->left) && end->ended) sandbox.Reported();
  return end->signal == 0 ? 0 : kSignalled + end->signal;
}

int StartVerb(Options options, const Host& host) {
  Request request = ReadRequest(options, host);
  if (!options.report) options.report = request.report;
  if (const Status own = CheckRecordsOfCaller(host, options); !own)
    return FailWithoutRecords(own.error(), host, options);
  if (!request.config) return RefuseVerb(request.config.error());
  Config& config = *request.config;
  config.process.argv.clear();
  config.process.command_line = ":";
  config.process.timeout_ms = 0;
  Result<NewSandbox> made = MakeSandbox(config, request.flags, options, host);
  if (!made) {
    NameFlags(request.flags, options.HasConfig(), made.error());
    return RefuseVerb(made.error());
  }
  const Result<SandboxId> id = session::ParseSandboxId(made->sandbox.id);
  Status started = id ? Status(Done{}) : Status(id.error());
  if (options.foreground && !made->sandbox.daemon) started = NotHeldHere(made->containment);
  if (started) started = StartAndPrint(*id, host);
  if (started && options.foreground) return StayWith(made->sandbox);
  if (started) {
    made->sandbox.Keep();
    return 0;
  }
  session::Receipt receipt;
  if (id) [[maybe_unused]]
    const Result<std::vector<Warning>> gone = session::Deprovision(*id, receipt);
  return RefuseVerb(InWordsOfVerbs(started.error(), made->sandbox.id));
}

int ExecVerb(Options options, const Host& host) {
  const std::string word = options.sandbox;
  const Result<SandboxId> id = FindSandbox(word);
  if (!id) return RefuseVerb(id.error());
  options.sandbox = id->Text();
  const Request request = ReadRequest(options, host);
  if (const Status own = CheckRecordsOfCaller(host, options); !own)
    return FailWithoutRecords(TellableByVerb(own.error(), *id, word), host, options);
  if (!request.config) return RefuseVerb(TellableByVerb(request.config.error(), *id, word));
  if (!options.report && !options.background) options.report = request.report;
  session::Receipt receipt;
  const Result<int> status = RunInSandbox(*id, *request.config, options, host, receipt);
  return status ? *status : RefuseVerb(InWordsOfVerbs(status.error(), word), receipt);
}

int StopVerb(const Options& options) {
  const Result<SandboxId> id = FindSandbox(options.sandbox);
  if (!id) return RefuseVerb(id.error());
  session::Receipt receipt;
  const Result<std::vector<Warning>> left = session::Deprovision(*id, receipt);
  if (!left) return RefuseVerb(InWordsOfVerbs(left.error(), options.sandbox), receipt);
  if (!DeliverWarnings(*left)) return RefuseVerb(NotReported());
  receipt.Give();
  return 0;
}

}  // namespace

int RunVerb(const Options& options, const Host& host) {
  if (options.verb == Verb::kExec) return ExecVerb(options, host);
  return options.verb == Verb::kStop ? StopVerb(options) : StartVerb(options, host);
}

}  // namespace mxc
