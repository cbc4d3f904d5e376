// Containments without a backend in this build: why there is no run, and what to use.
#include "backends/absent/absent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "dispatch.h"
#include "plan/make_plan.h"
#include "tests/support/fake_host.h"

namespace mxc::absent_test {
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

TEST(Absent, SaysWhatTheMachineLacksAsWell) {
  WindowsMachine windows;
  EXPECT_THAT(ProbeOf(Containment::kHyperlight, windows).reason, HasSubstr("nor is there a hypervisor"));
  windows.facts = {.hypervisor = true};
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
  EXPECT_THAT(ProbeOf(Containment::kVm, mac).remedy, HasSubstr("seatbelt"));
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
}  // namespace mxc::absent_test
