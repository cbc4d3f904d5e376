// Policies for a pod: the claim, the document for the mxc-exec inside, and what is refused.
#include "backends/kubernetes/kubernetes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "config/decode.h"
#include "document/parse.h"
#include "isolation_fallback.h"
#include "plan/describe.h"
#include "plan/make_plan.h"
#include "policy/resolve.h"
#include "report/report.h"
#include "tests/support/fake_host.h"

namespace mxc::kubernetes_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSection = R"("namespace": "agents", "warmPool": "small")";

Result<Config> ConfigOf(const std::string& members, const std::string& section = kSection,
                        const std::string& containment = "kubernetes") {
  const std::string text =
      R"({"version": "1.1.0-alpha", "containment": ")" + containment + R"(", "kubernetes": {)" + section +
      "}" +
      (members.find("\"process\"") == std::string::npos ? R"(, "process": {"commandLine": "make"})" : "") +
      (members.empty() ? "" : ", " + members) + "}";
  const Result<Json> document = ParseDocument({.name = "test", .bytes = text});
  if (!document) return document.error();
  return Decode(*document, {.system = OperatingSystem::kLinux});
}

Result<Plan> PlanOf(const std::string& members, const std::string& section = kSection) {
  FakeHost host;
  host.AddTool("kubectl", "/usr/bin/kubectl");
  const Result<Config> config = ConfigOf(members, section);
  if (!config) return config.error();
  const Result<Policy> policy = Resolve(*config, host, {});
  if (!policy) return policy.error();
  const Backend& backend = kubernetes::KubernetesBackend();
  return MakePlan(backend, *policy, backend.probe(host, ProbeDepth::kQuick));
}

PodRun RunOf(const std::string& members, const std::string& section = kSection) {
  const Result<Plan> plan = PlanOf(members, section);
  EXPECT_TRUE(plan) << plan.error().pointer << ": " << plan.error().message;
  return plan ? std::get<KubernetesLaunch>(plan->launch).run : PodRun{};
}

std::string RefusalOf(const std::string& members, const std::string& section = kSection) {
  const Result<Plan> plan = PlanOf(members, section);
  if (plan) return "planned";
  return std::string(Name(plan.error().code)) + " " + plan.error().pointer + ": " + plan.error().message;
}

std::string DocumentOf(const PodRun& run) {
  std::string text;
  for (const TextPart& part : run.config) {
    const auto* shown = std::get_if<std::string>(&part);
    text += shown != nullptr ? *shown : std::get<Secret>(part).Reveal();
  }
  return text;
}

Config Inner(const std::string& members, const std::string& section = kSection) {
  const Result<Json> document =
      ParseDocument({.name = "inner", .bytes = DocumentOf(RunOf(members, section))});
  EXPECT_TRUE(document) << document.error().message;
  Result<Config> config = Decode(*document, {.system = OperatingSystem::kLinux});
  EXPECT_TRUE(config) << config.error().message;
  return config ? std::move(*config) : Config{};
}

TEST(Kubernetes, HandsThePolicyOn) {
  const Config inner = Inner(R"("filesystem": {"readwritePaths": ["/work"], "deniedPaths": ["/work/.env"]},
      "network": {"egress": {"allow": [{"to": [{"host": "example.com"}]}]}},
      "resources": {"memoryMb": 64}, "output": {"redact": ["secrets"]},
      "process": {"argv": ["cc", "-v"], "env": ["A=b"], "timeout": 9000})");
  EXPECT_EQ(inner.intent, Intent::kProcess);
  EXPECT_EQ(inner.minimum_tier, Tier::kNone);  // the pod is the container
  ASSERT_EQ(inner.read_write.size(), 1U);
  EXPECT_EQ(inner.read_write[0].path, "/work");
  EXPECT_EQ(inner.denied[0].path, "/work/.env");
  EXPECT_EQ(inner.network.allow[0].to[0].host, "example.com");
  EXPECT_EQ(inner.resources[0].amount, 64U << 20U);
  EXPECT_TRUE(inner.output.redact_secrets);
  EXPECT_THAT(inner.process.argv, ElementsAre("cc", "-v"));
  EXPECT_EQ(inner.process.timeout_ms, 9000U);
  EXPECT_EQ(inner.process.environment->at(0).value.Reveal(), "b");
}

TEST(Kubernetes, PathsArePathsOfThePod) {
  EXPECT_EQ(RefusalOf(R"("filesystem": {"readwritePaths": ["/nowhere/on/this/machine"]})"), "planned");
  EXPECT_EQ(Inner("", R"("namespace": "a", "warmPool": "p", "workspace": "/work")").process.cwd, "/work");
  EXPECT_EQ(Inner(R"("process": {"commandLine": "make", "cwd": "/src"})",
                  R"("namespace": "a", "warmPool": "p", "workspace": "/work")")
                .process.cwd,
            "/src");
}

TEST(Kubernetes, TheClaimHoldsNothingOfThePolicy) {
  const PodRun run = RunOf(R"("process": {"commandLine": "make SECRET", "env": ["TOKEN=secret"]})");
  const std::string claim =
      ClaimManifest(run, {.claim = "mxc-1", .owner = "o", .shutdown_time = "2026-11-24T10:00:00Z"});
  const Result<Json> read = ParseDocument({.name = "claim", .bytes = claim});
  ASSERT_TRUE(read) << claim;
  EXPECT_EQ(read->Find("kind")->text, "SandboxClaim");
  EXPECT_EQ(read->Find("spec")->Find("warmPoolRef")->Find("name")->text, "small");
  EXPECT_EQ(read->Find("spec")->Find("lifecycle")->Find("shutdownTime")->text, "2026-11-24T10:00:00Z");
  EXPECT_EQ(read->Find("metadata")->Find("labels")->Find("mxc-exec/owner")->text, "o");
  EXPECT_THAT(claim, Not(HasSubstr("SECRET")));
  EXPECT_THAT(claim, Not(HasSubstr("secret")));
}

TEST(Kubernetes, ATemplateMakesASandboxOfItsOwn) {
  const PodRun run =
      RunOf(R"("process": {"commandLine": "make SECRET"})", R"("namespace": "a", "template": "t")");
  const std::string sandbox =
      SandboxManifest(run, {.claim = "mxc-1", .owner = "o", .shutdown_time = "2026-11-24T10:00:00Z"},
                      R"({"spec": {"x": 1}})");
  const Result<Json> read = ParseDocument({.name = "sandbox", .bytes = sandbox});
  ASSERT_TRUE(read) << sandbox;
  EXPECT_EQ(read->Find("apiVersion")->text, "agents.x-k8s.io/v1beta1");
  EXPECT_EQ(read->Find("kind")->text, "Sandbox");
  EXPECT_EQ(read->Find("metadata")->Find("labels")->Find("mxc-exec/owner")->text, "o");
  EXPECT_EQ(read->Find("spec")->Find("shutdownTime")->text, "2026-11-24T10:00:00Z");
  EXPECT_EQ(read->Find("spec")->Find("shutdownPolicy")->text, "Delete");
  EXPECT_NE(read->Find("spec")->Find("podTemplate")->Find("spec"), nullptr);
  EXPECT_THAT(sandbox, Not(HasSubstr("SECRET")));
}

TEST(Kubernetes, TheCommandEndsBeforeTheClaim) {
  const auto timeout = [](const std::string& members, const std::string& ttl) {
    return PlanOf(members, R"("namespace": "a", "warmPool": "p", "ttl": )" + ttl);
  };
  const std::string five_minutes = R"("process": {"commandLine": "make", "timeout": 300000})";
  EXPECT_EQ(timeout(five_minutes, "3600")->timeout_ms, 300000U);
  EXPECT_EQ(timeout(five_minutes, "300")->timeout_ms, 290000U);
  EXPECT_EQ(timeout(five_minutes, "300")->warnings.back().category, "timeout-shortened");
  EXPECT_EQ(timeout("", "50")->timeout_ms, 45000U);
  EXPECT_THAT(DocumentOf(std::get<KubernetesLaunch>(timeout("", "50")->launch).run),
              HasSubstr(R"("timeout": 45000)"));
}

TEST(Kubernetes, WhatItCannotHoldIsRefused) {
  EXPECT_EQ(RefusalOf(R"("network": {"ingress": {"publish": [{"host": 80, "guest": 80}]}})"),
            "unenforceable /network/ingress/publish/0: no port of this machine leads into a pod");
  EXPECT_THAT(RefusalOf(R"("network": {"ingress": {"hostLoopback": "allow"}})"), HasSubstr("unenforceable"));
  EXPECT_THAT(RefusalOf(R"("filesystem": {"sockets": ["/run/x.sock"]})"),
              HasSubstr("unsupported /filesystem/sockets"));
}

TEST(Kubernetes, TheSectionIsChecked) {
  EXPECT_THAT(RefusalOf("", R"("namespace": "a")"), HasSubstr("policy_conflict /kubernetes/warmPool"));
  EXPECT_EQ(RefusalOf("", R"("namespace": "a", "template": "t")"), "planned");
  EXPECT_THAT(RefusalOf("", R"("namespace": "a", "warmPool": "p", "template": "t")"),
              HasSubstr("policy_conflict /kubernetes/template: both"));
  EXPECT_THAT(RefusalOf("", R"("namespace": "a", "template": "../t")"),
              HasSubstr("policy_conflict /kubernetes/template"));
  EXPECT_THAT(RefusalOf("", R"("namespace": "a b", "warmPool": "p")"),
              HasSubstr("policy_conflict /kubernetes/namespace"));
  EXPECT_THAT(RefusalOf("", R"("namespace": "a", "warmPool": "../x")"),
              HasSubstr("policy_conflict /kubernetes/warmPool"));
  EXPECT_THAT(RefusalOf("", R"("namespace": "a", "warmPool": "p", "kubeconfig": "config")"),
              HasSubstr("policy_conflict /kubernetes/kubeconfig"));
  EXPECT_THAT(RefusalOf("", R"("namespace": "a", "warmPool": "p", "acceptedRisks": ["root", "none"])"),
              HasSubstr("policy_conflict /kubernetes/acceptedRisks/1"));
  EXPECT_THAT(RefusalOf("", R"("namespace": "a", "warmPool": "p", "acceptedRisks": ["runtime-class"])"),
              HasSubstr("policy_conflict /kubernetes/acceptedRisks/0"));
  EXPECT_THAT(RefusalOf("", R"("namespace": "a", "warmPool": "p", "podSelector": {"team": 1})"),
              HasSubstr("policy_conflict /kubernetes/podSelector"));
  EXPECT_THAT(RefusalOf("", R"("warmPool": "p")"), HasSubstr("schema"));
}

TEST(Kubernetes, AcceptedRisksAreRelaxations) {
  const Result<Plan> plan = PlanOf("", std::string(kSection) + R"(, "acceptedRisks": ["seccomp"])");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->relaxations, ElementsAre("pod-seccomp"));
}

TEST(Kubernetes, AVirtualMachineIsARuntimeClass) {
  EXPECT_FALSE(RunOf("").virtual_machine);
  EXPECT_TRUE(RunOf(R"("minimumTier": "virtual-machine")").virtual_machine);
  EXPECT_EQ(PlanOf("")->tier, Tier::kContainer);
  EXPECT_TRUE(HasOwnKernel("kata"));
  EXPECT_TRUE(HasOwnKernel("kata-qemu"));
  EXPECT_TRUE(HasOwnKernel("gvisor"));
  EXPECT_FALSE(HasOwnKernel("katana"));
  EXPECT_FALSE(HasOwnKernel("runc"));
  EXPECT_FALSE(HasOwnKernel(""));
}

// What auto chooses, and why; or why nothing.
std::string ChosenOf(const std::string& members, const std::string& section, bool cluster) {
  FakeHost host;
  if (cluster) host.SetEnvironment("KUBERNETES_SERVICE_HOST", "10.0.0.1");
  host.AddTool("kubectl", "/usr/bin/kubectl");
  Result<Config> config = ConfigOf(members, section, "auto");
  if (!config) return config.error().message;
  const Result<Config> chosen = ChooseContainment(std::move(*config), host);
  if (!chosen) return chosen.error().message;
  if (chosen->intent != Intent::kConcrete) return "this machine's";
  return std::string(Name(chosen->containment)) + ": " + chosen->choice;
}

TEST(Choose, InAClusterAutoIsAPodWhereASectionSaysSo) {
  EXPECT_EQ(ChosenOf("", kSection, true),
            "kubernetes: auto: this is a pod of a cluster, and there is a section `kubernetes`");
  EXPECT_EQ(ChosenOf("", kSection, false), "this machine's");
}

TEST(Choose, AutoThatStaysInThePodIsTold) {
  FakeHost host;
  EXPECT_TRUE(StaysInPlace({.intent = Intent::kAuto}, host).empty());
  host.SetEnvironment("KUBERNETES_SERVICE_HOST", "10.0.0.1");
  EXPECT_TRUE(StaysInPlace({.intent = Intent::kConcrete}, host).empty());
  const std::vector<Warning> stays = StaysInPlace({.intent = Intent::kAuto}, host);
  ASSERT_EQ(stays.size(), 1U);
  EXPECT_EQ(stays[0].category, "in-this-pod");
  EXPECT_TRUE(IsPrinted(stays[0]));
}

TEST(Choose, TheOrderIsKept) {
  EXPECT_THAT(ChosenOf(R"("selection": {"order": ["kubernetes", "seatbelt"]})", kSection, false),
              HasSubstr("not kubernetes: this is no pod of a cluster; not seatbelt: it belongs to macOS"));
  EXPECT_THAT(ChosenOf(R"("selection": {"order": ["wslc", "kubernetes"]})", kSection, true),
              HasSubstr("kubernetes: auto: the first of selection.order that is usable here; not wslc: "));
}

TEST(Choose, TheOrderIsOfAutoAlone) {
  const Result<Config> config = ConfigOf(R"("selection": {"order": ["lxc"]})");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().pointer, "/selection");
}

}  // namespace
}  // namespace mxc::kubernetes_test
