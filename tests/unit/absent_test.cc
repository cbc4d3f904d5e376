// Containments without a backend in this build: what is wrong with the policy comes first, then why there is
// no run, and what to use.
#include "backends/absent/absent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "dispatch.h"
#include "plan/make_plan.h"
#include "tests/support/fake_host.h"

namespace mxc {
namespace {

using testing::HasSubstr;

class WindowsMachine final : public FakeHost {
 public:
  WindowsMachine() { SetSystem(OperatingSystem::kWindows); }
  [[nodiscard]] WindowsFacts Windows() const override { return facts; }
  WindowsFacts facts = {};
};

Support ProbeOf(Containment containment, const Host& host) {
  return Dispatch(containment).probe(host, ProbeDepth::kQuick);
}

Policy Open() {
  Policy policy{.containment = Containment::kIsolationSession};
  policy.network.egress = policy.network.ingress = policy.network.host_loopback = RuleAction::kAllow;
  policy.process.argv = {"x"};
  return policy;
}

// The pointer of the refusal of a run on Windows.
std::string Blamed(const Policy& policy) {
  const WindowsMachine host;
  const Backend& backend = Dispatch(Containment::kIsolationSession);
  const Result<Plan> plan = MakePlan(backend, policy, ProbeOf(Containment::kIsolationSession, host));
  return plan ? "planned" : std::string(Name(plan.error().code)) + " " + plan.error().pointer;
}

TEST(Absent, AnIsolationSessionHoldsNoneOfThese) {
  EXPECT_EQ(Blamed(Open()), "not_built ");
  Policy files = Open();
  files.paths.push_back({.path = "C:\\w", .pointer = "/filesystem/readonlyPaths/0"});
  EXPECT_EQ(Blamed(files), "policy_conflict /filesystem/readonlyPaths/0");
  Policy ui = Open();
  ui.ui.clipboard_pointer = "/ui/clipboard";
  EXPECT_EQ(Blamed(ui), "policy_conflict /ui/clipboard");
  Policy closed = Open();
  closed.network.ingress = RuleAction::kDeny;
  EXPECT_EQ(Blamed(closed), "policy_conflict /network");
  closed.network = {.share_host = true};
  EXPECT_EQ(Blamed(closed), "not_built ");
  Policy rules = Open();
  rules.network.deny.push_back({});
  EXPECT_EQ(Blamed(rules), "policy_conflict /network");
  Policy kept = Open();
  kept.destroy_on_exit = false;
  EXPECT_EQ(Blamed(kept), "policy_conflict /lifecycle/destroyOnExit");
}

TEST(Absent, SaysWhatTheMachineLacksAsWell) {
  WindowsMachine windows;
  EXPECT_THAT(ProbeOf(Containment::kIsolationSession, windows).reason,
              HasSubstr("nor has this Windows isolation sessions"));
  EXPECT_THAT(ProbeOf(Containment::kHyperlight, windows).reason, HasSubstr("nor is there a hypervisor"));
  windows.facts = {.isolation_session = true, .hypervisor = true};
  EXPECT_EQ(ProbeOf(Containment::kIsolationSession, windows).reason,
            "the 'isolation_session' backend is not part of this build");
  EXPECT_EQ(ProbeOf(Containment::kMicrovm, windows).reason,
            "the 'microvm' backend is not part of this build");
  EXPECT_THAT(ProbeOf(Containment::kMicrovm, windows).remedy, HasSubstr("processcontainer"));

  FakeHost linux_host;
  EXPECT_THAT(ProbeOf(Containment::kMicrovm, linux_host).reason, HasSubstr("(/dev/kvm)"));
  linux_host.AddNode("/dev/kvm", FileType::kCharacterDevice);
  EXPECT_THAT(ProbeOf(Containment::kMicrovm, linux_host).reason, testing::Not(HasSubstr("hypervisor")));
  EXPECT_EQ(ProbeOf(Containment::kMicrovm, linux_host).code, ErrorCode::kNotBuilt);

  FakeHost mac;
  mac.SetSystem(OperatingSystem::kMacos);
  EXPECT_EQ(ProbeOf(Containment::kIsolationSession, mac).code, ErrorCode::kUnsupported);
  EXPECT_THAT(ProbeOf(Containment::kVm, mac).remedy, HasSubstr("seatbelt"));
}

TEST(Absent, AnIsolationSessionGivesNothingOfTheDesktopAway) {
  for (std::string Ui::*pointer : {&Ui::disabled_pointer, &Ui::injection_pointer}) {
    Policy policy = Open();
    policy.ui.*pointer = "/ui/x";
    EXPECT_EQ(Blamed(policy), "policy_conflict /ui/x");
  }
}

TEST(Absent, ARemedyBelongsToTheSystem) {
  FakeHost host;
  EXPECT_THAT(ProbeOf(Containment::kMicrovm, host).remedy, HasSubstr("bubblewrap"));
  host.SetSystem(OperatingSystem::kAny);
  EXPECT_THAT(ProbeOf(Containment::kMicrovm, host).remedy, HasSubstr("no backend of this build"));
}

TEST(Absent, AVirtualMachineLacksNothingButItsBackend) {
  const WindowsMachine host;
  EXPECT_EQ(ProbeOf(Containment::kVm, host).reason, "the 'vm' backend is not part of this build");
}

// Shown on another system: what would be missing here says nothing.
TEST(Absent, APlanThatIsShownIsRefusedAsNotBuilt) {
  const FakeHost host;
  const Backend& backend = Dispatch(Containment::kHyperlight);
  const Support support = backend.probe(host, ProbeDepth::kAssumed);
  EXPECT_EQ(support.code, ErrorCode::kNotBuilt);
  EXPECT_EQ(support.reason, "the 'hyperlight' backend is not part of this build");
  EXPECT_EQ(absent::Probe(Containment::kVm, host, ProbeDepth::kAssumed).reason,
            "the 'vm' backend is not part of this build");
  EXPECT_EQ(backend.plan({}, {}).error().message, "the 'hyperlight' backend is not part of this build");
}

}  // namespace
}  // namespace mxc
