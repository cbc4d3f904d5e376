#include "tests/windows/phases_windows.h"

#include <windows.h>

#include <iterator>
#include <system_error>

#include "tests/windows/system_programs_windows.h"
#include "win32/wide_windows.h"

namespace mxc::test {

void PhasesTest::SetUp() {
  if (!IsWine()) GTEST_SKIP() << "stand-ins of system programs are made under Wine only";
  std::filesystem::remove_all(Sandboxes());
}

void PhasesTest::TearDown() {
  for (const std::string& id : provisioned) static_cast<void>(Phase("deprovision", id));
}

Said PhasesTest::Request(const std::string& members, const std::vector<std::string>& flags,
                         const std::string& input) const {
  const std::string file = scratch.Write("r" + std::to_string(++requests) + ".json",
                                         R"({"version": "1.1.0-alpha", )" + members + "}");
  std::vector<std::string> arguments = {"--experimental", file};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return RunProgram(arguments, input);
}

Said PhasesTest::Phase(const std::string& phase, const std::string& id, const std::string& more,
                       const std::string& input) const {
  return Request(R"("phase": ")" + phase + R"(", "sandboxId": ")" + id + "\"" + more, {}, input);
}

Said PhasesTest::ProvisionOf(const std::string& more) const {
  return Request(R"("phase": "provision", "containment": ")" + containment + "\"" + more);
}

std::string PhasesTest::Provision(const std::string& more) {
  const bool limited = more.find("idleTimeoutMs") != std::string::npos;
  const Said said = ProvisionOf(more + (limited ? "" : R"(, "session": {"idleTimeoutMs": 60000})"));
  EXPECT_EQ(said.status, 0U) << said.out << said.err;
  const std::size_t at = said.out.find(prefix);
  if (at == std::string::npos) return "none";
  provisioned.push_back(said.out.substr(at, said.out.find('"', at) - at));
  return provisioned.back();
}

std::string PhasesTest::Started(const std::string& more) {
  const std::string id = Provision(more);
  EXPECT_EQ(Phase("start", id).out, kDone);
  return id;
}

std::string PhasesTest::List() { return RunProgram({"--list"}).out; }

std::string PhasesTest::StateOf(const std::string& id) {
  const std::string list = List();
  const std::size_t at = list.find(id);
  if (at == std::string::npos) return "absent";
  const std::size_t from = list.find("\"state\":\"", at) + 9;
  return list.substr(from, list.find('"', from) - from);
}

std::filesystem::path PhasesTest::Sandboxes() {
  const wchar_t* local = ::_wgetenv(L"LOCALAPPDATA");
  return std::wstring(local == nullptr ? L"" : local) + L"\\mxc-exec\\sandboxes";
}

std::filesystem::path PhasesTest::FolderOf(const std::string& id) {
  std::string name = id;
  name.replace(name.find(':'), 1, "-");
  return Sandboxes() / Wide(name);
}

std::size_t PhasesTest::FilesIn(const std::filesystem::path& folder) {
  std::error_code missing;
  const std::filesystem::directory_iterator entries{folder, missing};
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

}  // namespace mxc::test
