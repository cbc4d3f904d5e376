// What the base container of Windows is told, read back slot by slot.
#include "win32/security_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/flat_reader.h"

namespace mxc::security_environment_test {
namespace {

using test::FlatTable;
using testing::ElementsAre;
using testing::IsEmpty;

FlatTable Egress(const FlatTable& root) { return *root.Table(7)->Table(1); }

// "10.0.0.0/8 -10.1.0.0/16": destinations of a rule, with what is left out.
std::string Destinations(const FlatTable& rule) {
  const auto subnet = [](const FlatTable& table) {
    return table.Text(0) + "/" + std::to_string(table.Number(1, 1).value_or(0));
  };
  std::string text;
  for (const FlatTable& destination : rule.Tables(0)) {
    text += (text.empty() ? "" : " ") + subnet(*destination.Table(0));
    for (const FlatTable& except : destination.Tables(1)) text += " -" + subnet(except);
  }
  return text;
}

// "1:443 2:53-60": protocol and ports of a rule.
std::string Ports(const FlatTable& rule) {
  std::string text;
  for (const FlatTable& port : rule.Tables(1)) {
    text += (text.empty() ? "" : " ") + std::to_string(*port.Number(0, 1)) + ":" +
            std::to_string(port.Number(1, 2).value_or(0));
    if (const auto last = port.Number(2, 2)) text += "-" + std::to_string(*last);
  }
  return text;
}

TEST(SecurityEnvironment, StartsClosed) {
  const std::string bytes = SecurityEnvironmentBytes({});
  EXPECT_EQ(bytes.substr(4, 4), "PSEC");
  const FlatTable root = FlatTable::RootOf(bytes);
  EXPECT_EQ(root.Number(0, 2), 1U);  // the major version; the minor one, 0, stands behind it
  EXPECT_EQ(root.Text(1), "");
  EXPECT_EQ(root.Number(2, 1), 1U);
  EXPECT_EQ(root.Number(3, 8), ui_limit::kAll);
  for (const std::size_t files : {4U, 5U, 6U}) EXPECT_THAT(root.Texts(files), IsEmpty());
  EXPECT_EQ(Egress(root).Number(0, 1), 0U);
  EXPECT_THAT(Egress(root).Tables(1), IsEmpty());
}

TEST(SecurityEnvironment, SaysWhatTheSandboxIs) {
  const std::string bytes = SecurityEnvironmentBytes(
      {.capabilities = {"internetClient", "documentsLibrary"},
       .no_win32k = false,
       .ui_limits = 0x41,
       .base =
           BaseContainer{.read_write = {"C:\\w", "D:\\x"}, .read_only = {"C:\\r"}, .denied = {"C:\\w\\no"}}});
  const FlatTable root = FlatTable::RootOf(bytes);
  EXPECT_EQ(root.Text(1), "internetClient,documentsLibrary");
  EXPECT_EQ(root.Number(2, 1), 0U);
  EXPECT_EQ(root.Number(3, 8), 0x41U);
  EXPECT_THAT(root.Texts(4), ElementsAre("C:\\w", "D:\\x"));
  EXPECT_THAT(root.Texts(5), ElementsAre("C:\\r"));
  EXPECT_THAT(root.Texts(6), ElementsAre("C:\\w\\no"));
}

TEST(SecurityEnvironment, SaysWhichDestinations) {
  BaseContainer base;
  base.egress = RuleAction::kAllow;
  base.allow = {{.to = {{.cidr = "10.0.0.0/8", .except = {"10.1.0.0/16"}}, {.cidr = "fd00::/8"}},
                 .ports = {{Protocol::kTcp, 443, 443}, {Protocol::kUdp, 53, 60}, {Protocol::kAny, 0, 0}}}};
  base.deny = {{.to = {{.cidr = "192.0.2.1/32"}}}};
  const std::string bytes = SecurityEnvironmentBytes({.base = base});
  const FlatTable egress = Egress(FlatTable::RootOf(bytes));
  EXPECT_EQ(egress.Number(0, 1), 1U);
  ASSERT_EQ(egress.Tables(1).size(), 1U);
  EXPECT_EQ(Destinations(egress.Tables(1)[0]), "10.0.0.0/8 -10.1.0.0/16 fd00::/8");
  EXPECT_EQ(Ports(egress.Tables(1)[0]), "1:443 2:53-60 0:0");
  ASSERT_EQ(egress.Tables(2).size(), 1U);
  EXPECT_EQ(Destinations(egress.Tables(2)[0]), "192.0.2.1/32");
  EXPECT_EQ(Ports(egress.Tables(2)[0]), "");
}

TEST(SecurityEnvironment, WritesEveryAddressOut) {
  BaseContainer base;
  base.allow = {{.ports = {{Protocol::kTcp, 80, 80}}}};
  const std::string bytes = SecurityEnvironmentBytes({.base = base});
  EXPECT_EQ(Destinations(Egress(FlatTable::RootOf(bytes)).Tables(1).at(0)), "0.0.0.0/0 ::/0");
}

TEST(SecurityEnvironment, IcmpIsARuleOfEachFamily) {
  BaseContainer base;
  base.deny = {{.to = {{.cidr = "10.0.0.0/8"}, {.cidr = "fd00::/8"}},
                .ports = {{Protocol::kIcmp}, {Protocol::kTcp, 22, 22}}},
               {.to = {{.cidr = "10.0.0.0/8"}}, .ports = {{Protocol::kIcmp}}}};
  const std::string bytes = SecurityEnvironmentBytes({.base = base});
  std::vector<std::string> rules;
  for (const FlatTable& rule : Egress(FlatTable::RootOf(bytes)).Tables(2))
    rules.push_back(Destinations(rule) + " on " + Ports(rule));
  EXPECT_THAT(rules, ElementsAre("10.0.0.0/8 fd00::/8 on 1:22", "10.0.0.0/8 on 3:0", "fd00::/8 on 4:0",
                                 "10.0.0.0/8 on 3:0"));
}

TEST(SecurityEnvironment, AProxyIsTheOnlyDestination) {
  BaseContainer base;
  base.proxy = "http://127.0.0.1:8080";
  base.peer = "MXC-Loopback";
  const std::string bytes = SecurityEnvironmentBytes({.base = base});
  const FlatTable network = *FlatTable::RootOf(bytes).Table(7);
  ASSERT_TRUE(network.Table(0));
  EXPECT_EQ(network.Table(0)->Text(0), "http://127.0.0.1:8080");
  EXPECT_FALSE(network.Table(1));
  EXPECT_EQ(network.Text(2), "MXC-Loopback");
}

TEST(SandboxSpecification, SaysWhatTheSandboxIs) {
  BaseContainer base{.read_write = {"C:\\w"}, .read_only = {"C:\\r"}, .denied = {"C:\\w\\no"}};
  const std::string bytes = SandboxSpecificationBytes({.capabilities = {"internetClient", "documentsLibrary"},
                                                       .least_privilege = true,
                                                       .no_win32k = false,
                                                       .ui_limits = 0x41,
                                                       .base = base});
  EXPECT_EQ(bytes.substr(4, 4), "SBOX");
  const FlatTable root = FlatTable::RootOf(bytes);
  EXPECT_EQ(root.Text(0), "0.1.0");
  EXPECT_EQ(root.Number(1, 1), 1U);
  EXPECT_FALSE(root.Number(2, 4));
  EXPECT_EQ(root.Number(3, 1), 0U);
  EXPECT_EQ(root.Number(4, 8), 0x41U);
  EXPECT_EQ(root.Number(5, 1), 1U);
  EXPECT_EQ(root.Text(6), "internetClient,documentsLibrary");
  EXPECT_THAT(root.Texts(7), ElementsAre("C:\\w"));
  EXPECT_THAT(root.Texts(8), ElementsAre("C:\\r"));
  EXPECT_EQ(root.Table(9)->Table(1)->Number(0, 1), 0U);
  EXPECT_EQ(root.Number(10, 1), 0U);
  EXPECT_THAT(root.Texts(11), ElementsAre("C:\\w\\no"));
}

TEST(SandboxSpecification, StartsClosed) {
  const std::string bytes = SandboxSpecificationBytes({});
  const FlatTable root = FlatTable::RootOf(bytes);
  EXPECT_EQ(root.Number(3, 1), 1U);
  EXPECT_EQ(root.Number(4, 8), ui_limit::kAll);
  EXPECT_EQ(root.Number(5, 1), 0U);
  EXPECT_EQ(root.Text(6), "");
  for (const std::size_t files : {7U, 8U, 11U}) EXPECT_THAT(root.Texts(files), IsEmpty());
  EXPECT_EQ(root.Table(9)->Table(1)->Number(0, 1), 0U);
}

}  // namespace
}  // namespace mxc::security_environment_test
