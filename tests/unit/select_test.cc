#include <gtest/gtest.h>

#include "policy/resolve.h"

namespace mxc::select_test {
namespace {

Config Asking(Containment containment, Dialect dialect = Dialect::kDirectional) {
  Config config;
  config.dialect = dialect;
  config.intent = Intent::kConcrete;
  config.containment = containment;
  config.containment_pointer = "/containment";
  return config;
}

std::string Selected(const Config& config, const ResolveOptions& options = {},
                     OperatingSystem system = OperatingSystem::kLinux) {
  const Result<Containment> selected = SelectContainment(config, system, options);
  if (selected) return std::string(Name(*selected));
  return std::string(Name(selected.error().code)) + ": " + selected.error().message;
}

std::string SelectedFor(Intent intent, OperatingSystem system, const ResolveOptions& options = {}) {
  Config config;
  config.intent = intent;
  return Selected(config, options, system);
}

TEST(Select, IntentsPerSystem) {
  EXPECT_EQ(SelectedFor(Intent::kProcess, OperatingSystem::kLinux), "bubblewrap");
  EXPECT_EQ(SelectedFor(Intent::kAuto, OperatingSystem::kLinux), "bubblewrap");
  EXPECT_EQ(SelectedFor(Intent::kProcess, OperatingSystem::kWindows), "processcontainer");
  EXPECT_EQ(SelectedFor(Intent::kProcess, OperatingSystem::kMacos), "seatbelt");
  EXPECT_EQ(SelectedFor(Intent::kVm, OperatingSystem::kWindows, {.experimental = true}), "windows_sandbox");
}

TEST(Select, VmIsRefusedAndNeverWeakened) {
  EXPECT_EQ(SelectedFor(Intent::kVm, OperatingSystem::kLinux),
            "unsupported: the 'vm' backend is not available on Linux");
}

TEST(Select, LinuxNames) {
  EXPECT_EQ(Selected(Asking(Containment::kBubblewrap)), "bubblewrap");
  EXPECT_EQ(Selected(Asking(Containment::kLxc)), "lxc");
}

TEST(Select, OtherSystemsComeBeforeTheGate) {
  for (const Containment containment :
       {Containment::kProcessContainer, Containment::kWindowsSandbox, Containment::kWslc,
        Containment::kIsolationSession, Containment::kSeatbelt}) {
    EXPECT_EQ(Selected(Asking(containment)),
              "unsupported: the '" + std::string(Name(containment)) + "' backend is not available on Linux");
  }
}

TEST(Select, WindowsSandboxIsGatedInContract11) {
  const Config config = Asking(Containment::kWindowsSandbox, Dialect::kContract11);
  EXPECT_EQ(
      Selected(config),
      "experimental: the 'windows_sandbox' backend is experimental; enable experimental features to use it");
  EXPECT_EQ(Selected(config, {.experimental = true}),
            "unsupported: the 'windows_sandbox' backend is not available on Linux");
}

TEST(Select, GatedEverywhere) {
  EXPECT_EQ(Selected(Asking(Containment::kMicrovm)),
            "experimental: the 'microvm' backend is experimental; enable experimental features to use it");
  EXPECT_EQ(Selected(Asking(Containment::kMicrovm), {.experimental = true}),
            "unsupported: the 'microvm' backend is not built into this program");
  EXPECT_EQ(Selected(Asking(Containment::kHyperlight)),
            "experimental: the 'hyperlight' backend is experimental; enable experimental features to use it");
  EXPECT_EQ(Selected(Asking(Containment::kHyperlight), {.experimental = true}),
            "unavailable: the 'hyperlight' backend has no guest image on this host");
}

TEST(Select, NoneNeedsItsFlag) {
  EXPECT_EQ(Selected(Asking(Containment::kNone)),
            "experimental: containment 'none' runs the command without any isolation");
  EXPECT_EQ(Selected(Asking(Containment::kNone), {.experimental = true}),
            "experimental: containment 'none' runs the command without any isolation");
  EXPECT_EQ(Selected(Asking(Containment::kNone), {.allow_unsandboxed = true}), "none");
}

TEST(Select, RefusalsPointAndHelp) {
  const Result<Containment> selected =
      SelectContainment(Asking(Containment::kSeatbelt), OperatingSystem::kLinux, {});
  ASSERT_FALSE(selected.ok());
  EXPECT_EQ(selected.error().pointer, "/containment");
  EXPECT_EQ(selected.error().hint,
            "it belongs to macOS (`--explain` shows its plan here); use \"process\", the isolation of Linux");
}

}  // namespace
}  // namespace mxc::select_test
