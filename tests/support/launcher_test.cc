#include "tests/support/launcher_test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/built.h"
#include "tests/support/engines.h"

namespace mxc::test {
namespace {

constexpr uid_t kOrdinaryUser = 23456;  // no entry in /etc/passwd is needed

uid_t UidOf(Caller caller) {
  if (::geteuid() != 0) return ::geteuid();
  return caller == Caller::kRoot ? 0 : kOrdinaryUser;
}

// May everybody walk to this file?
bool OpenToAll(const std::string& path) {
  for (std::string parent = path; parent.size() > 1;) {
    const auto slash = parent.rfind('/');
    parent.resize(slash == 0 ? 1 : slash);
    struct stat status {};
    if (::stat(parent.c_str(), &status) != 0 || (status.st_mode & S_IXOTH) == 0) return false;
  }
  return true;
}

std::string Member(const std::string& name, const std::string& value) { return Quote(name) + ":" + value; }

std::string FilesystemText(const Parts& parts) {
  std::string text;
  auto add = [&text](const char* name, const std::vector<std::string>& paths) {
    if (!paths.empty()) text += (text.empty() ? "" : ",") + Member(name, QuoteAll(paths));
  };
  add("readonlyPaths", parts.read_only);
  add("readwritePaths", parts.read_write);
  add("deniedPaths", parts.denied);
  if (!parts.filesystem.empty()) text += (text.empty() ? "" : ",") + parts.filesystem;
  return "{" + text + "}";
}

std::string ProcessText(const Parts& parts) {
  std::string text = Member("commandLine", Quote(parts.command));
  if (parts.environment) text += "," + Member("env", QuoteAll(*parts.environment));
  if (!parts.cwd.empty()) text += "," + Member("cwd", Quote(parts.cwd));
  if (parts.timeout_ms != 0) text += "," + Member("timeout", std::to_string(parts.timeout_ms));
  return "{" + text + "}";
}

}  // namespace

std::string ConfigText(const Parts& parts, const std::string& containment) {
  std::string text = Member("version", Quote(parts.version));
  text += "," + Member("containment", Quote(parts.containment.empty() ? containment : parts.containment));
  text += "," + Member("process", ProcessText(parts));
  text += "," + Member("filesystem", FilesystemText(parts));
  if (!parts.network.empty()) text += "," + Member("network", parts.network);
  if (!parts.more.empty()) text += "," + parts.more;
  return "{" + text + "}";
}

LauncherTest::LauncherTest() : uid(UidOf(GetParam().caller)), workspace(uid), program_(ProgramUnderTest()) {
  if (uid != ::geteuid() && !OpenToAll(program_)) program_ = workspace.CopyOf(program_, "bin/mxc-exec");
}

void LauncherTest::SetUp() {
  if (GetParam().caller == Caller::kRoot && ::geteuid() != 0)
    GTEST_SKIP() << "only root can start it as root";
  if (GetParam().containment == "lxc" && !HasLxc()) GTEST_SKIP() << kNoLxc;
}

Launch LauncherTest::Prepare(std::vector<std::string> arguments) const {
  return {.program = program_, .arguments = std::move(arguments), .cwd = workspace.Root(), .uid = uid};
}

std::string LauncherTest::ConfigFile(const Parts& parts) const {
  return workspace.File("config.json", ConfigText(parts, GetParam().containment));
}

Launch LauncherTest::PrepareConfig(const Parts& parts, std::vector<std::string> flags) const {
  flags.push_back(ConfigFile(parts));
  return Prepare(std::move(flags));
}

std::string EnvelopeCode(const Ended& ended) { return At(LastLine(ended.err), "/error/code"); }

std::string EnvelopeMessage(const Ended& ended) { return At(LastLine(ended.err), "/error/message"); }

void PrintTo(const Setting& setting, std::ostream* stream) {
  *stream << (setting.caller == Caller::kRoot ? "root" : "user") << ", " << setting.containment;
}

std::string CallerOf(const testing::TestParamInfo<Setting>& info) {
  return info.param.caller == Caller::kRoot ? "Root" : "User";
}

std::string CallerAndContainmentOf(const testing::TestParamInfo<Setting>& info) {
  return CallerOf(info) + "_" + info.param.containment;
}

}  // namespace mxc::test
