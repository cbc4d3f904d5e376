#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode_text.h"

namespace mxc::sections_decode_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Meant {
  std::string name;
  Intent intent;
  Containment containment;
};

TEST(Containment, EveryNameMeansOneThing) {
  const std::vector<Meant> names = {
      {"process", Intent::kProcess, Containment::kBubblewrap},
      {"auto", Intent::kAuto, Containment::kBubblewrap},
      {"vm", Intent::kVm, Containment::kVm},
      {"microvm", Intent::kMicrovm, Containment::kMicrovm},
      {"none", Intent::kConcrete, Containment::kNone},
      {"bubblewrap", Intent::kConcrete, Containment::kBubblewrap},
      {"lxc", Intent::kConcrete, Containment::kLxc},
      {"kubernetes", Intent::kConcrete, Containment::kKubernetes},
      {"processcontainer", Intent::kConcrete, Containment::kProcessContainer},
      {"appcontainer", Intent::kConcrete, Containment::kProcessContainer},
      {"seatbelt", Intent::kConcrete, Containment::kSeatbelt},
      {"macos_sandbox", Intent::kConcrete, Containment::kSeatbelt},
      {"windows_sandbox", Intent::kConcrete, Containment::kWindowsSandbox},
      {"hyperlight", Intent::kConcrete, Containment::kHyperlight},
      {"wslc", Intent::kConcrete, Containment::kWslc},
      {"isolation_session", Intent::kConcrete, Containment::kIsolationSession},
  };
  for (const Meant& meant : names) {
    const Result<Config> config = DecodeText(With("\"containment\":\"" + meant.name + "\""));
    ASSERT_TRUE(config.ok()) << meant.name;
    EXPECT_EQ(config->intent, meant.intent) << meant.name;
    EXPECT_EQ(config->containment, meant.containment) << meant.name;
    EXPECT_EQ(config->containment_pointer, "/containment");
  }
  EXPECT_EQ(DecodeText(With(""))->containment_pointer, "");
  EXPECT_THAT(Errors(With(R"("containment":"Bubblewrap")")),
              ElementsAre(HasSubstr("did you mean `bubblewrap`?")));
}

TEST(Sections, OnlyTheContainmentsOwnIsAllowed) {
  EXPECT_EQ(Blamed(With(R"("lxc":{"distribution":"alpine","release":"3.23"})")), "/lxc");
  EXPECT_EQ(Blamed(With(R"("containment":"bubblewrap","appContainer":{})")), "/appContainer");
  EXPECT_EQ(Blamed(With(R"("experimental":{"wslc":{}})")), "/experimental/wslc");
  EXPECT_EQ(Blamed(With(R"("windowsSandbox":{})", "1.1.0-alpha")), "/windowsSandbox");
  EXPECT_EQ(Blamed(With(R"("containment":"microvm","seatbelt":{})")), "/seatbelt");
  EXPECT_EQ(Blamed(With(R"("containment":"lxc","lxc":{},"seatbelt":{},"experimental":{"wslc":{}})")),
            "several");
}

TEST(Sections, TheIntentIsResolvedPerSystem) {
  const DecodeOptions windows{.system = OperatingSystem::kWindows};
  EXPECT_EQ(Blamed(With(R"("processContainer":{})"), windows), "ok");
  EXPECT_EQ(Blamed(With(R"("processContainer":{})")), "/processContainer");
  EXPECT_EQ(Blamed(With(R"("containment":"vm","experimental":{"windows_sandbox":{}})"), windows), "ok");
  EXPECT_EQ(Blamed(With(R"("seatbelt":{})"), {.system = OperatingSystem::kMacos}), "ok");
}

TEST(Sections, TheOwnOneIsKept) {
  const Result<Config> config =
      DecodeText(With(R"("containment":"lxc","lxc":{"distribution":"alpine","release":"3.23"})"));
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->backend_section.Find("release")->text, "3.23");
  EXPECT_EQ(DecodeText(With(""))->backend_section.kind, Json::Kind::kNull);
}

TEST(Sections, KeysOfOlderSdksAreToleratedBelow08) {
  const std::string lxc = R"("containment":"lxc","lxc":{"containerName":"n","destroyOnExit":true})";
  const Result<Config> config = DecodeText(With(lxc));
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->container_id, "n");
  EXPECT_EQ(config->notes.size(), 2U);
  EXPECT_EQ(Errors(With(lxc, "0.8.0-alpha")).size(), 2U);
  EXPECT_EQ(DecodeText(With(lxc + R"(,"containerId":"own")"))->container_id, "own");

  EXPECT_EQ(Blamed(With(R"("containment":"processcontainer","processContainer":{"name":"x"})")), "ok");
  EXPECT_EQ(Blamed(With(R"("filesystem":{"clearPolicyOnExit":true})", "0.6.0-alpha")), "ok");
  EXPECT_EQ(Blamed(With(R"("filesystem":{"clearPolicyOnExit":true})", "0.8.0-alpha")),
            "/filesystem/clearPolicyOnExit");
  EXPECT_EQ(Blamed(With(R"("containment":"seatbelt","experimental":{"seatbelt":{}})", "0.6.0-alpha")), "ok");
  EXPECT_THAT(Errors(With(R"("containment":"seatbelt","experimental":{"seatbelt":{}})", "0.8.0-alpha")),
              ElementsAre(HasSubstr("this section has moved to the top level")));
  EXPECT_EQ(Blamed(With(R"("containment":"macos_sandbox","experimental":{"macos_sandbox":{"mode":"x"}})")),
            "ok");
}

TEST(Sections, AnAliasAndItsNameAreTheSameKey) {
  EXPECT_THAT(Errors(With(R"("appContainer":{},"processContainer":{},"containment":"processcontainer")")),
              ElementsAre(HasSubstr("duplicate field `processContainer`")));
  EXPECT_EQ(Blamed(With(R"("macos_sandbox":{},"seatbelt":{},"containment":"seatbelt")")), "/macos_sandbox");
}

std::string Container(std::string_view section) {
  return With(R"("containment":"processcontainer","processContainer":)" + std::string(section));
}

TEST(Sections, ProcessContainerDetails) {
  EXPECT_EQ(Blamed(Container(R"({"capabilities":["internetClient"]})")), "ok");
  EXPECT_EQ(Blamed(Container(R"({"capabilities":["ok","a,b"]})")), "/processContainer/capabilities/1");
  EXPECT_EQ(Blamed(Container(R"({"capabilities":["LEARNINGMODELOGGING"]})")),
            "/processContainer/capabilities/0");
  EXPECT_EQ(Blamed(Container(R"({"capabilities":["permissiveLearningMode"]})")),
            "/processContainer/capabilities/0");
  EXPECT_EQ(Blamed(Container(R"({"ui":{"isolation":"full"}})")), "/processContainer/ui/isolation");
  EXPECT_EQ(Blamed(Container(R"({"captureDenials":{"outputPath":"rel.json"}})")),
            "/processContainer/captureDenials/outputPath");
  EXPECT_EQ(Blamed(Container(R"({"captureDenials":{"outputPath":"C:\\out.json"}})")), "ok");
}

TEST(Sections, PortMappings) {
  const std::string head = R"("containment":"wslc","experimental":{"wslc":{"portMappings":[)";
  const std::string pointer = "/experimental/wslc/portMappings/";
  EXPECT_EQ(Blamed(With(head + R"({"windowsPort":80,"containerPort":80}]}})")), "ok");
  EXPECT_EQ(Blamed(With(head + R"({"windowsPort":0,"containerPort":1}]}})")), pointer + "0/windowsPort");
  EXPECT_EQ(Blamed(With(head + R"({"windowsPort":1,"containerPort":1,"protocol":"udp"}]}})")),
            pointer + "0/protocol");
  EXPECT_EQ(
      Blamed(With(head + R"({"windowsPort":1,"containerPort":1},{"windowsPort":1,"containerPort":2}]}})")),
      pointer + "1/windowsPort");
}

TEST(Sections, TheContractsWantBothLxcFields) {
  EXPECT_EQ(Errors(With(R"("containment":"lxc","lxc":{})", "1.0.0")).size(), 2U);
  EXPECT_EQ(Blamed(With(R"("containment":"lxc","lxc":{})", "0.8.0-alpha")), "ok");
}

}  // namespace
}  // namespace mxc::sections_decode_test
