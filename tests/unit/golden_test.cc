// Every tests/golden/NAME.json goes through all stages on a made-up machine; what comes out is NAME.plan: the
// explanation, then what bubblewrap is started with. Every tests/golden/corpus/NAME.json, which names
// no containment, is planned for each backend of kBackends: BACKEND/NAME.plan, and for a Windows with a
// security environment: base_container/NAME.plan. MXC_UPDATE_GOLDEN=1 writes the files anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "config/decode.h"
#include "dispatch.h"
#include "document/parse.h"
#include "plan/describe.h"
#include "plan/make_plan.h"
#include "policy/resolve.h"
#include "tests/support/built.h"
#include "tests/support/fake_host.h"

namespace mxc {
namespace {

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void Furnish(FakeHost& host) {
  const char kOptions[] =
      "--clearenv\0--perms\0--json-status-fd\0--bind-fd\0--size";
  host.AddDebian();
  host.AddFile("/usr/bin/bwrap", std::string(kOptions, sizeof kOptions)).AddTool("bwrap", "/usr/bin/bwrap");
  host.AddTool("lxc-start", "/usr/bin/lxc-start");
  host.AddFile("/proc/sys/kernel/osrelease", "6.1.0-56-amd64\n");
  const FakeAttributes own{.uid = 1000, .gid = 1000};
  for (const char* path :
       {"/srv/work", "/srv/work/hooks", "/srv/work/out", "/srv/work/config", "/srv/work/config/public",
        "/home/user/.ssh", "/opt/tools", "/proc", "/sys", "/dev", "/var/log"}) {
    host.AddDirectory(path, own);
  }
  host.AddFile("/srv/work/config/secret", "", own).AddFile("/usr/bin/env");
  for (const char* path : {"/srv/repository/.git/objects", "/srv/repository/.git/refs"})
    host.AddDirectory(path, own);
  host.AddFile("/srv/repository/.git/HEAD", "", own).AddFile("/srv/repository/.git/config", "", own);
}

std::string Refused(const Error& error) {
  return "refused: " + std::string(Name(error.code)) + " at '" + error.pointer + "'\n" + error.message +
         "\n" + "hint: " + error.hint + "\n";
}

std::string ArgumentsText(const Plan& plan) {
  if (!std::holds_alternative<Exec>(plan.child)) return "";
  const Exec& exec = std::get<Exec>(plan.child);
  std::string text = "arguments\n ";
  for (const Piece& piece : std::get<ArgumentFile>(exec.files.back()).arguments) {
    const auto* word = std::get_if<std::string>(&piece);
    if (word != nullptr && word->starts_with("--")) text += "\n ";
    if (word != nullptr) text += " " + *word;
    if (std::holds_alternative<Secret>(piece)) text += " <secret>";
    if (const auto* number = std::get_if<FileNumber>(&piece))
      text += " <file " + std::to_string(number->file) + ">";
  }
  text += "\n";
  for (std::size_t i = 0; i < exec.files.size(); ++i) {
    const auto* path = std::get_if<PathFile>(&exec.files[i]);
    if (path != nullptr) text += "  file " + std::to_string(i) + ": " + path->path + "\n";
  }
  return text;
}

void Put(Json& document, const std::string& key, const std::string& text) {
  Json value;
  value.kind = Json::Kind::kString;
  value.text = text;
  document.members.push_back({.key = key, .value = std::move(value)});
}

void PutOnDrive(Json& value) {
  if (value.kind == Json::Kind::kString && value.text.starts_with('/')) value.text.insert(0, "C:");
  for (Json& item : value.items) PutOnDrive(item);
  for (JsonMember& member : value.members) PutOnDrive(member.value);
}

// The paths of a document on a drive: Windows has no others.
void PutPathsOnDrive(Json& document) {
  for (JsonMember& member : document.members) {
    if (member.key == "filesystem" || member.key == "audit") PutOnDrive(member.value);
    if (member.key != "process") continue;
    for (JsonMember& part : member.value.members) {
      if (part.key == "cwd") PutOnDrive(part.value);
    }
  }
}

bool IsOnWindows(const std::string& containment) {
  return containment == "processcontainer" || containment == "wslc" || containment == "windows_sandbox";
}

using Change = void (*)(Support&);

void LeaveAsIs(Support& /*support*/) {}

void HaveBaseContainer(Support& support) {
  support.windows.security_environment = true;
  support.windows.security_environment_denies = true;
}

// `containment`: put into a document that names none.
std::string PlanText(const std::string& document, const std::string& containment = "",
                     Change change = LeaveAsIs) {
  FakeHost host;
  Furnish(host);
  Result<Json> json = ParseDocument({.name = "golden", .bytes = document});
  if (!json) return Refused(json.error());
  if (!containment.empty()) Put(*json, "containment", containment);
  if (IsOnWindows(containment)) PutPathsOnDrive(*json);
  const Result<Config> config = Decode(*json, {});
  if (!config) return Refused(config.error());
  const Result<Policy> policy =
      Resolve(*config, host, {.experimental = true, .allow_unsandboxed = true, .shown_only = true});
  if (!policy) return Refused(policy.error());
  const Backend& backend = Dispatch(policy->containment);
  const ProbeDepth depth = policy->as_written ? ProbeDepth::kAssumed : ProbeDepth::kQuick;
  Support support = backend.probe(host, depth);
  change(support);
  const Result<Plan> plan = MakePlan(backend, *policy, support);
  if (!plan) return Refused(plan.error());
  return DescribeText(*policy, *plan) + ArgumentsText(*plan);
}

const std::string kFolder = test::SourceDirectory() + "/tests/golden";

std::vector<std::filesystem::path> DocumentsIn(const std::string& folder) {
  std::vector<std::filesystem::path> documents;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") documents.push_back(entry.path());
  }
  std::sort(documents.begin(), documents.end());
  return documents;
}

void Compare(const std::filesystem::path& plan, const std::string& text) {
  EXPECT_EQ(text.find("golden-secret"), std::string::npos) << plan;
  if (std::getenv("MXC_UPDATE_GOLDEN") != nullptr) std::ofstream(plan, std::ios::binary) << text;
  EXPECT_EQ(text, ReadAll(plan)) << plan;
}

TEST(Golden, PlansAreAsWritten) {
  const std::vector<std::filesystem::path> documents = DocumentsIn(kFolder);
  EXPECT_GE(documents.size(), 15U);
  for (std::filesystem::path path : documents) {
    const std::string text = PlanText(ReadAll(path));
    Compare(path.replace_extension(".plan"), text);
  }
}

constexpr const char* kBackends[] = {"namespaces", "bubblewrap",       "lxc",  "landlock",
                                     "seatbelt",   "processcontainer", "wslc", "windows_sandbox"};

TEST(Golden, OneCorpusForEveryBackend) {
  const std::vector<std::filesystem::path> documents = DocumentsIn(kFolder + "/corpus");
  EXPECT_GE(documents.size(), 44U);
  for (const std::string backend : kBackends) {
    for (const std::filesystem::path& path : documents) {
      const std::string name = path.stem().string() + ".plan";
      Compare(kFolder + "/" + backend + "/" + name, PlanText(ReadAll(path), backend));
    }
  }
}

TEST(Golden, OneCorpusForABaseContainer) {
  for (const std::filesystem::path& path : DocumentsIn(kFolder + "/corpus")) {
    const std::string name = path.stem().string() + ".plan";
    Compare(kFolder + "/base_container/" + name,
            PlanText(ReadAll(path), "processcontainer", HaveBaseContainer));
  }
}

}  // namespace
}  // namespace mxc
