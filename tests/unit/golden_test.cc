// Every policy of tests/golden/policies goes through all stages on a made-up machine, once for each backend,
// or for the one that it names. What comes out is the explanation, then what bubblewrap is started with.
// tests/golden/BACKEND.plan is the whole plan of the policy that asks for nothing; NAME.plans says what
// differs from it (tests/support/golden_file.h). MXC_UPDATE_GOLDEN=1 writes the files anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
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
#include "tests/support/golden_file.h"
#include "tests/support/line_difference.h"

namespace mxc::golden_test {
namespace {

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void Furnish(FakeHost& host) {
  const char kOptions[] = "--clearenv\0--perms\0--json-status-fd\0--bind-fd\0--size";
  host.AddDebian();
  host.AddFile("/usr/bin/bwrap", std::string(kOptions, sizeof kOptions)).AddTool("bwrap", "/usr/bin/bwrap");
  host.AddTool("lxc-start", "/usr/bin/lxc-start").AddTool("kubectl", "/usr/bin/kubectl");
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
  if (!std::holds_alternative<BubblewrapLaunch>(plan.launch)) return "";
  const Exec& exec = std::get<BubblewrapLaunch>(plan.launch).bwrap;
  std::string text = "arguments";
  bool is_prefix = false;  // of the option that follows
  for (const Piece& piece : std::get<ArgumentFile>(exec.files.back()).arguments) {
    const auto* word = std::get_if<std::string>(&piece);
    if (word != nullptr && word->starts_with("--")) {
      if (!is_prefix) text += "\n ";
      is_prefix = *word == "--perms" || *word == "--size";
    }
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

// Without it there is no pod.
void PutCluster(Json& document) {
  if (document.Find("kubernetes") != nullptr) return;
  Json section;
  section.kind = Json::Kind::kObject;
  Put(section, "namespace", "agents");
  Put(section, "warmPool", "small");
  document.members.push_back({.key = "kubernetes", .value = std::move(section)});
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
  if (containment == "kubernetes") PutCluster(*json);
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
  return DescribeText(Dispatch(plan->containment), *policy, *plan) + ArgumentsText(*plan);
}

const std::string kFolder = test::SourceDirectory() + "/tests/golden/";
const std::string kPolicies = kFolder + "policies/";
const std::string kNothing = "nothing";  // the policy whose plans are written whole

constexpr const char* kBackends[] = {
    "namespaces",       "bubblewrap",     "lxc",  "landlock",       "kubernetes", "seatbelt",
    "processcontainer", "base_container", "wslc", "windows_sandbox"};

std::vector<std::string> NamesIn(const std::string& folder, const std::string& extension) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == extension) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// By backend.
using Plans = std::map<std::string, std::string>;

Plans PlansOf(const std::string& policy) {
  const std::string document = ReadAll(kPolicies + policy + ".json");
  const Result<Json> json = ParseDocument({.name = "golden", .bytes = document});
  if (!json) return {};
  for (const JsonMember& member : json->members) {
    if (member.key == "containment") return {{member.value.text, PlanText(document)}};
  }
  Plans plans;
  for (const std::string backend : kBackends) {
    const bool is_base = backend == "base_container";
    plans[backend] =
        PlanText(document, is_base ? "processcontainer" : backend, is_base ? HaveBaseContainer : LeaveAsIs);
  }
  return plans;
}

bool IsRefusal(const std::string& plan) { return plan.starts_with("refused: "); }

std::vector<test::GoldenPlan> GoldenPlansOf(const std::string& policy) {
  return test::ReadGoldenPlans(ReadAll(kPolicies + policy + ".plans"));
}

std::string LikeOf(const std::string& policy, const std::string& backend) {
  for (const test::GoldenPlan& plan : GoldenPlansOf(policy)) {
    if (plan.backend == backend) return plan.like;
  }
  return "";
}

bool IsUpdate() { return std::getenv("MXC_UPDATE_GOLDEN") != nullptr; }

void Write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// What a plan is like is chosen by hand, and kept. Refusals, and plans that this makes shorter, are written
// whole.
test::GoldenPlan Golden(const std::string& policy, const std::string& backend,
                        std::map<std::string, Plans>& all) {
  const std::string& plan = all[policy][backend];
  const test::GoldenPlan whole = {
      .backend = backend, .like = "", .difference = test::LineDifference("", plan)};
  if (IsRefusal(plan)) return whole;
  std::string like = LikeOf(policy, backend);
  if (like.empty() || IsRefusal(all[like][backend])) like = kNothing;
  const std::string difference = test::LineDifference(all[like][backend], plan);
  if (difference.size() > whole.difference.size()) return whole;
  return {.backend = backend, .like = like, .difference = difference};
}

void Update(const std::string& policy, std::map<std::string, Plans>& all) {
  std::vector<test::GoldenPlan> golden;
  for (const std::string backend : kBackends) {
    if (all[policy].contains(backend)) golden.push_back(Golden(policy, backend, all));
  }
  Write(kPolicies + policy + ".plans", test::WriteGoldenPlans(golden));
}

std::map<std::string, Plans> AllPlans() {
  std::map<std::string, Plans> all;
  for (const std::string& policy : NamesIn(kPolicies, ".json")) all[policy] = PlansOf(policy);
  return all;
}

void ExpectSame(const std::string& expected, const std::string& plan, const std::string& of) {
  EXPECT_TRUE(expected == plan) << of << ": gone (-) and new (+) lines\n"
                                << test::LineDifference(expected, plan) << "MXC_UPDATE_GOLDEN=1 accepts them";
}

TEST(Golden, WholePlans) {
  for (const auto& [backend, plan] : PlansOf(kNothing)) {
    const std::string path = kFolder + backend + ".plan";
    if (IsUpdate()) Write(path, plan);
    ExpectSame(ReadAll(path), plan, backend);
  }
}

// The plan that `golden` stands for, had from the plan that now comes out for the policy it is like. Two
// steps lead to a whole plan at most.
std::string Expected(const test::GoldenPlan& golden, std::map<std::string, Plans>& all) {
  if (!golden.like.empty() && golden.like != kNothing && LikeOf(golden.like, golden.backend) != kNothing)
    return golden.like + " is not like " + kNothing;
  const std::string like = golden.like.empty() ? "" : all[golden.like][golden.backend];
  return test::WithDifference(like, golden.difference)
      .value_or("the difference does not fit the plan of " + golden.like);
}

TEST(Golden, PlansThatDiffer) {
  std::map<std::string, Plans> all = AllPlans();
  EXPECT_GE(all.size(), 58U);
  for (const auto& [policy, plans] : all) {
    if (policy == kNothing) continue;
    if (IsUpdate()) Update(policy, all);
    Plans expected;
    for (const test::GoldenPlan& golden : GoldenPlansOf(policy))
      expected[golden.backend] = Expected(golden, all);
    for (const auto& [backend, plan] : plans)
      ExpectSame(expected[backend], plan, policy + " with " + backend);
    EXPECT_EQ(expected.size(), plans.size()) << policy;
  }
}

TEST(Golden, NoSecretsAndNoFilesWithoutPolicies) {
  for (const auto& [policy, plans] : AllPlans()) {
    for (const auto& [backend, plan] : plans)
      EXPECT_EQ(plan.find("golden-secret"), std::string::npos) << policy << " with " << backend;
  }
  for (const std::string& policy : NamesIn(kPolicies, ".plans"))
    EXPECT_TRUE(std::filesystem::exists(kPolicies + policy + ".json")) << policy;
}

}  // namespace
}  // namespace mxc::golden_test
