// What is left of the paths of a request below a ceiling: by examples, and for many machines at random.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "tests/unit/policy_text.h"

namespace mxc::ceiling_paths_test {
namespace {

Ceiling CeilingOf(const Lists& lists, bool refuses = false) {
  CeilingSection section{.bounds = ConfigOf(lists), .filesystem = true, .refuses = refuses};
  return {.file = "ceiling", .sections = {std::move(section)}};
}

struct Left {
  Result<Policy> policy;
  std::vector<Warning> cuts;
};

Left Under(const Lists& ceiling, const Lists& request, const Host& host) {
  const Ceiling bounds = CeilingOf(ceiling);
  Cuts cuts;
  Result<Policy> policy = Resolve(ConfigOf(request), host, {.bounds = {.ceiling = &bounds, .cuts = &cuts}});
  return {std::move(policy), cuts.Warnings()};
}

class CeilingPathsTest : public testing::Test {
 protected:
  void SetUp() override {
    host_.AddDebian()
        .AddDirectory("/srv/work/sub", {.uid = 1000})
        .AddDirectory("/srv/work/secret", {.uid = 1000})
        .AddFile("/srv/work/secret/key", "k", {.uid = 1000})
        .AddDirectory("/srv/other", {.uid = 1000})
        .AddDirectory("/home/me/app", {.uid = 1000});
  }
  // The rules that are left, and pointers of what was cut.
  [[nodiscard]] std::string Left(const Lists& ceiling, const Lists& request) const {
    const struct Left left = Under(ceiling, request, host_);
    if (!left.policy) return RefusalOf(left.policy);
    std::string text = RulesText(*left.policy);
    for (const Warning& cut : left.cuts)
      if (cut.category == "clamped") text += cut.message + "\n";
    return text;
  }

  FakeHost host_;  // NOLINT: the tests fill it
};

TEST_F(CeilingPathsTest, WhatItGrantsIsLeftAsItWas) {
  EXPECT_EQ(Left({.rw = {"/srv"}}, {.rw = {"/srv/work"}, .denied = {"/srv/work/secret"}}),
            "read-write /srv/work\ndenied /srv/work/secret\n");
  EXPECT_EQ(Left({.rw = {"/srv"}}, {.ro = {"/srv/work"}}), "read-only /srv/work\n");
}

class CeilingSockets : public CeilingPathsTest {
 protected:
  void SetUp() override {
    CeilingPathsTest::SetUp();
    host_.AddNode("/srv/s/allowed.sock", FileType::kSocket).AddNode("/srv/s/secret.sock", FileType::kSocket);
  }
  // What a request for `socket` gets where the ceiling lists `listed`.
  [[nodiscard]] std::string Granted(const std::string& listed, const std::string& socket) const {
    Ceiling ceiling = CeilingOf({}, refuses_);
    ceiling.sections.front().bounds.sockets = Entries({listed}, "sockets");
    if (variables_) ceiling.sections.front().variables = *variables_;
    Config config = ConfigOf(Lists{});
    config.sockets = Entries({socket}, "sockets");
    Cuts cuts;
    const Result<Policy> policy = Resolve(config, host_, {.bounds = {.ceiling = &ceiling, .cuts = &cuts}});
    if (!policy) return RefusalOf(policy);
    if (const Status refused = cuts.Refusal(); !refused) return refused.error().message;
    std::string text = RulesText(*policy);
    for (const Variable& variable : policy->process.environment)
      if (variable.name == "S") text += "S=" + std::string(variable.value.Reveal()) + "\n";
    for (const Warning& cut : cuts.Warnings())
      if (cut.category == "clamped") text += cut.message + "\n";
    return text;
  }

  std::optional<std::vector<std::string>> variables_ = {};  // NOLINT: the tests fill it
  bool refuses_ = false;                                    // NOLINT
};

TEST_F(CeilingSockets, AreComparedAsFiles) {
  const std::string allowed = "/srv/s/allowed.sock";
  host_.AddSymlink("/etc/link.sock", allowed);
  EXPECT_EQ(Granted(allowed, "/srv/../srv/s/allowed.sock"), "read-write /srv/s/allowed.sock\n");
  EXPECT_EQ(Granted("/etc/link.sock", allowed), "read-write /srv/s/allowed.sock\n");
  EXPECT_EQ(Granted(allowed, "/srv/s/secret.sock"),
            "the socket '/srv/s/secret.sock' is not granted (/ceiling/filesystem)\n");
  EXPECT_EQ(Granted(allowed, "/srv/s/none.sock"), "");
}

TEST_F(CeilingSockets, OneThatIsNotListedRefusesTheRunWhereItIsToldTo) {
  refuses_ = true;
  EXPECT_EQ(Granted("/srv/s/allowed.sock", "/srv/s/allowed.sock"), "read-write /srv/s/allowed.sock\n");
  EXPECT_THAT(Granted("/srv/s/allowed.sock", "/srv/s/secret.sock"),
              testing::HasSubstr("the socket '/srv/s/secret.sock' is not granted"));
  EXPECT_THAT(Granted("/srv/s/allowed.sock", "/srv/s/secret.sock"),
              testing::Not(testing::HasSubstr("read-write")));
}

// The value is cut at the comma before it is a path.
TEST_F(CeilingSockets, AVariableIsJudgedAsItIsGranted) {
  const std::string allowed = "/srv/s/allowed.sock";
  host_.SetEnvironment("S", "/srv/s/secret.sock,/../allowed.sock");
  EXPECT_EQ(Granted(allowed, "$S"), "the socket '/srv/s/secret.sock' is not granted (/ceiling/filesystem)\n");
  host_.SetEnvironment("S", "unix:path=/srv/s/allowed.sock,guid=1");
  EXPECT_EQ(Granted(allowed, "$S"),
            "read-write /srv/s/allowed.sock\nS=unix:path=/srv/s/allowed.sock,guid=1\n");
  variables_ = {"CI"};
  EXPECT_EQ(Granted(allowed, "$S"),
            "read-write /srv/s/allowed.sock\nthe variable 'S' is not set (/ceiling/process/env)\n");
}

TEST_F(CeilingSockets, NoPathStepsOutOfWhatIsMissing) {
  EXPECT_EQ(Granted("/srv/none/../s/allowed.sock", "/srv/s/allowed.sock"),
            "the socket '/srv/s/allowed.sock' is not granted (/ceiling/filesystem)\n");
  EXPECT_EQ(Granted("/srv/s/allowed.sock", "/srv/none/../s/allowed.sock"), "");
}

// A command may have turned it: whoever lists it lists that name alone.
TEST_F(CeilingSockets, ALinkOfTheCallersListsNothing) {
  host_.AddSymlink("/srv/work/db.sock", "/srv/s/secret.sock", {.uid = 1000});
  EXPECT_EQ(Granted("/srv/work/db.sock", "/srv/s/secret.sock"),
            "the socket '/srv/s/secret.sock' is not granted (/ceiling/filesystem)\n");
}

TEST_F(CeilingPathsTest, WhatItDoesNotGrantIsGone) {
  EXPECT_EQ(Left({.rw = {"/srv/other"}}, {.rw = {"/srv/work"}}),
            "'/srv/work' is not granted (/ceiling/filesystem)\n");
  EXPECT_EQ(Left({}, {.rw = {"/srv/work"}}), "'/srv/work' is not granted (/ceiling/filesystem)\n");
}

TEST_F(CeilingPathsTest, OfAWiderGrantWhatItGrantsIsLeft) {
  EXPECT_EQ(Left({.rw = {"/srv/work"}, .ro = {"/srv/other"}}, {.rw = {"/srv"}}),
            "read-only /srv/other\n"
            "read-write /srv/work\n"
            "'/srv' is not granted (/ceiling/filesystem)\n"
            "'/srv/other' is read-only (/ceiling/filesystem/readonlyPaths/0)\n");
}

TEST_F(CeilingPathsTest, ReadOnlyThereIsReadOnlyHere) {
  EXPECT_EQ(Left({.ro = {"/srv/work"}}, {.rw = {"/srv/work/sub"}}),
            "read-only /srv/work/sub\n"
            "'/srv/work/sub' is read-only (/ceiling/filesystem/readonlyPaths/0)\n");
  EXPECT_EQ(Left({.rw = {"/srv"}, .ro = {"/srv/work/sub"}}, {.rw = {"/srv/work"}}),
            "read-write /srv/work\n"
            "read-only /srv/work/sub\n"
            "'/srv/work/sub' is read-only (/ceiling/filesystem/readonlyPaths/0)\n");
}

TEST_F(CeilingPathsTest, TheRequestStaysStricterInside) {
  EXPECT_EQ(Left({.rw = {"/srv/work/sub"}, .ro = {"/srv"}}, {.rw = {"/srv"}, .ro = {"/srv/work"}}),
            "read-only /srv\nread-only /srv/work\n"
            "'/srv' is read-only (/ceiling/filesystem/readonlyPaths/0)\n");
  EXPECT_EQ(Left({.rw = {"/srv"}}, {.rw = {"/srv/work"}, .denied = {"/srv/work/none"}}),
            "read-write /srv/work\ndenied /srv/work/none (missing from /srv/work/none)\n");
}

TEST_F(CeilingPathsTest, DeniedThereIsDeniedHereByEveryName) {
  const Lists ceiling{.rw = {"/"}, .denied = {"/srv/work/secret"}};
  EXPECT_EQ(Left(ceiling, {.rw = {"/srv/work/../work"}}),
            "read-write /srv/work\n"
            "denied /srv/work/secret\n"
            "'/srv/work/secret' is denied (/ceiling/filesystem/deniedPaths/0)\n");
  host_.AddSymlink("/srv/link", "/srv/work/secret").AddBind("/mnt/bound", "/srv/work");
  EXPECT_THAT(Left(ceiling, {.rw = {"/srv/link"}}), testing::HasSubstr("'/srv/work/secret' is not granted"));
  EXPECT_EQ(Left(ceiling, {.rw = {"/mnt/bound"}}),
            "read-write /mnt/bound\n"
            "denied /mnt/bound/secret\n"
            "'/mnt/bound/secret' is denied (/ceiling/filesystem/deniedPaths/0)\n");
  host_.AddBind("/mnt/key", "/srv/work/secret");
  EXPECT_THAT(Left(ceiling, {.ro = {"/mnt/key"}}), testing::StartsWith("'/mnt/key' is not granted"));
}

// What a ceiling narrows inside of a grant opens nothing that the request denies by another name of it.
TEST_F(CeilingPathsTest, TheRequestsDenialHoldsUnderEveryName) {
  host_.AddBind("/mnt/bound", "/srv/work");
  const Lists ceiling{.rw = {"/srv"}, .ro = {"/mnt/bound/secret/key"}};
  const auto left = [&](const std::string& granted) {
    return Left(ceiling, {.rw = {granted}, .denied = {"/mnt/bound/secret"}});
  };
  EXPECT_THAT(left("/srv/work/secret"), testing::AllOf(testing::HasSubstr("denied /srv/work/secret\n"),
                                                       testing::Not(testing::HasSubstr("read-only"))));
  EXPECT_THAT(left("/srv/work"), testing::HasSubstr("which is denied ('/mnt/bound/secret')"));
  EXPECT_THAT(left("/srv"), testing::HasSubstr("which is denied ('/mnt/bound/secret')"));
}

TEST_F(CeilingPathsTest, AMountShowsWhatTheCeilingGrantsByAnotherName) {
  host_.AddBind("/mnt/bound", "/srv/work");
  EXPECT_EQ(Left({.rw = {"/srv/work"}}, {.rw = {"/mnt/bound"}}), "read-write /mnt/bound\n");
  EXPECT_THAT(Left({.ro = {"/srv"}}, {.rw = {"/mnt/bound"}}), testing::StartsWith("read-only /mnt/bound\n"));
}

TEST_F(CeilingPathsTest, AMountInAGrantIsWhatItShows) {
  host_.AddBind("/home/me/app", "/srv/work/sub");
  EXPECT_EQ(Left({.rw = {"/home/me"}, .ro = {"/srv"}}, {.rw = {"/home/me"}}),
            "read-write /home/me\n"
            "read-only /home/me/app\n"
            "'/home/me/app' is read-only (/ceiling/filesystem/readonlyPaths/0)\n");
}

TEST_F(CeilingPathsTest, HardLinksAreOneFile) {
  host_.AddAlias("/srv/other/alias", "/srv/work/secret/key");
  EXPECT_THAT(Left({.rw = {"/srv"}, .denied = {"/srv/work/secret/key"}}, {.ro = {"/srv/other/alias"}}),
              testing::StartsWith("'/srv/other/alias' is not granted"));
}

TEST_F(CeilingPathsTest, Patterns) {
  host_.AddDirectory("/home/you/app", {.uid = 1001}).AddFile("/srv/work/sub/.env", "x", {.uid = 1000});
  const Lists ceiling{.rw = {"/home/*/app", "/srv"}, .denied = {"/srv/**/.env"}};
  EXPECT_EQ(Left(ceiling, {.rw = {"/home/me/app", "/srv/work"}}),
            "read-write /home/me/app\nread-write /srv/work\ndenied /srv/work/sub/.env\n"
            "'/srv/work/sub/.env' is denied (/ceiling/filesystem/deniedPaths/0)\n");
  EXPECT_EQ(Left(ceiling, {.ro = {"/srv/wor*"}}),
            "read-only /srv/work\ndenied /srv/work/sub/.env\n"
            "'/srv/work/sub/.env' is denied (/ceiling/filesystem/deniedPaths/0)\n");
  EXPECT_THAT(Left(ceiling, {.rw = {"/home/me"}}),
              testing::StartsWith("read-write /home/me/app\n'/home/me' is"));
}

// The caller would choose what the ceiling grants.
TEST_F(CeilingPathsTest, ALinkOfTheCallersGrantsNothing) {
  host_.AddSymlink("/home/me/link", "/srv/other", {.uid = 1000});
  EXPECT_EQ(Left({.rw = {"/home/me/link"}}, {.rw = {"/srv/other"}}),
            "'/srv/other' is not granted (/ceiling/filesystem)\n");
  EXPECT_EQ(Left({.rw = {"/home/*/link"}}, {.rw = {"/srv/other"}}),
            "'/srv/other' is not granted (/ceiling/filesystem)\n");
}

TEST_F(CeilingPathsTest, WhatEverySandboxShowsNeedsNoGrant) {
  EXPECT_EQ(Left({}, {.ro = {"/usr/lib", "/etc/hosts"}}), "");
  EXPECT_EQ(Left({.denied = {"/etc/passwd"}}, {}), "denied /etc/passwd\n");
  EXPECT_THAT(Left({}, {.rw = {"/etc"}}), testing::StartsWith("'/etc' is read-only"));
  host_.AddFile("/usr/local/bin/tool").AddFile("/etc/shadow", "x");
  EXPECT_THAT(Left({}, {.ro = {"/usr/local"}}), testing::StartsWith("'/usr/local' is not granted"));
  EXPECT_THAT(Left({}, {.ro = {"/etc/shadow"}}), testing::StartsWith("'/etc/shadow' is not granted"));
  EXPECT_EQ(Left({}, {.ro = {"/usr"}}), "'/usr' is shown as every sandbox shows it (/ceiling/filesystem)\n");
}

TEST_F(CeilingPathsTest, TheHostsTemporaryFilesAreNamedByThemselves) {
  EXPECT_EQ(Left({.rw = {"/"}}, {.rw = {"/tmp"}}), "'/tmp' is not granted (/ceiling/filesystem)\n");
  EXPECT_EQ(Left({.rw = {"/", "/tmp"}}, {.rw = {"/tmp"}}), "read-write /tmp\n");
}

TEST_F(CeilingPathsTest, WhatTheCallerCannotLookAtStaysDenied) {
  host_.AddDirectory("/root/keys").AddUnreadable("/root/keys");
  EXPECT_EQ(Left({.rw = {"/srv"}, .denied = {"/root/keys/a"}}, {.rw = {"/srv/work"}}),
            "read-write /srv/work\n");
}

TEST_F(CeilingPathsTest, SeveralSectionsAreAllInForce) {
  Ceiling both = CeilingOf({.rw = {"/srv"}});
  both.sections.push_back(CeilingOf({.ro = {"/srv/work"}}).sections.front());
  Cuts cuts;
  const Result<Policy> policy = Resolve(ConfigOf({.rw = {"/srv/work", "/srv/other"}}), host_,
                                        {.bounds = {.ceiling = &both, .cuts = &cuts}});
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(RulesText(*policy), "read-only /srv/work\n");
}

// ---- many ----------------------------------------------------------------------------------------------

class Machine {
 public:
  explicit Machine(unsigned seed) : random_(seed) {
    host_.AddDebian();
    for (unsigned i = 0; i < 14; ++i) Add(NewPath());
    for (unsigned i = Below(4); i != 0; --i)
      host_.AddSymlink(NewPath() + "L", Any(), {.uid = Below(2) * 1000});
    for (unsigned i = Below(4); i != 0; --i) Bind();
    for (const std::string& path : std::set<std::string>(paths_)) Collect(path);
  }
  [[nodiscard]] const FakeHost& Host() const { return host_; }
  [[nodiscard]] const std::set<std::string>& Paths() const { return paths_; }
  [[nodiscard]] Lists Some() {
    Lists lists;
    for (unsigned i = Below(3); i != 0; --i) lists.rw.push_back(Spelled(Any()));
    for (unsigned i = Below(3); i != 0; --i) lists.ro.push_back(Pattern(Spelled(Any())));
    for (unsigned i = Below(3); i != 0; --i) lists.denied.push_back(Pattern(Spelled(Any())));
    return lists;
  }

 private:
  [[nodiscard]] unsigned Below(unsigned bound) { return static_cast<unsigned>(random_()) % bound; }
  [[nodiscard]] std::string NewPath() {
    std::string path = Below(2) == 0 ? "/srv" : "/home/me";
    for (unsigned i = 1 + Below(3); i != 0; --i) path += std::string("/") + "abc"[Below(3)];
    return path;
  }
  void Add(const std::string& path) {
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
      paths_.insert(path.substr(0, slash));
    paths_.insert(path);
    host_.AddDirectory(path, {.uid = 1000});
  }
  void Bind() {
    const std::string from = Any();
    const std::string to = "/mnt/" + std::string(1, "xyz"[Below(3)]);
    if (host_.Has(to)) return;
    host_.AddBind(to, from);
    const std::set<std::string> before = paths_;
    paths_.insert(to);
    for (const std::string& path : before)
      if (path.starts_with(from + "/")) paths_.insert(to + path.substr(from.size()));
  }
  void Collect(const std::string& path) {
    if (!host_.CanonicalPath(path)) paths_.erase(path);
  }
  [[nodiscard]] std::string Any() {
    auto at = paths_.begin();
    std::advance(at, Below(static_cast<unsigned>(paths_.size())));
    return *at;
  }
  [[nodiscard]] std::string Spelled(std::string path) {
    if (Below(8) == 0) path += "/a/..";
    if (Below(8) == 0) path += "/none";
    if (Below(8) == 0) path += "L";
    return path;
  }
  [[nodiscard]] std::string Pattern(std::string path) {
    if (Below(5) == 0) path.back() = '*';
    return path;
  }

  std::mt19937 random_;
  FakeHost host_;
  std::set<std::string> paths_ = {"/srv", "/home/me"};
};

int Openness(Access access) { return access == Access::kReadWrite ? 2 : access == Access::kReadOnly ? 1 : 0; }

// What a command may do with what stands at each path: 0, 1 to read, 2 to write.
std::map<std::string, int> OpenAt(const Policy& policy, const std::set<std::string>& paths) {
  const RuleSet rules(policy.paths);
  std::map<std::string, int> open;
  for (const std::string& path : paths) {
    const PathRule* const rule = rules.Covering(path);
    open[path] = rule == nullptr ? 0 : Openness(rule->access);
  }
  return open;
}

std::string ListsText(const Lists& lists) {
  std::string text;
  for (const std::string& path : lists.rw) text += " rw " + path;
  for (const std::string& path : lists.ro) text += " ro " + path;
  for (const std::string& path : lists.denied) text += " denied " + path;
  return text;
}

// A run with the ceiling as its policy may do at least as much with each object, by one of its names.
// MXC_CEILING_PAIRS: how many.
TEST(CeilingPairs, WhatIsLeftIsInBoth) {
  const char* const asked = std::getenv("MXC_CEILING_PAIRS");
  const int pairs = asked != nullptr ? std::atoi(asked) : 600;
  constexpr int kOfOneMachine = 5;
  int held = 0;
  int open = 0;
  for (int i = 0; i < pairs; i += kOfOneMachine) {
    Machine machine(static_cast<unsigned>(i));
    for (int j = 0; j < kOfOneMachine; ++j) {
      const Lists ceiling = machine.Some();
      const Lists request = machine.Some();
      const Result<Policy> before = Resolve(ConfigOf(request), machine.Host(), {});
      const Result<Policy> bound = Resolve(ConfigOf(ceiling), machine.Host(), {});
      const Left left = Under(ceiling, request, machine.Host());
      if (!before || !bound || !left.policy) continue;
      ++held;
      const auto at_before = OpenAt(*before, machine.Paths());
      const auto at_bound = OpenAt(*bound, machine.Paths());
      std::map<std::uint64_t, int> of_object;
      for (const auto& [path, value] : at_bound) {
        int& most = of_object[machine.Host().ObjectAt(path).inode];
        most = std::max(most, value);
      }
      for (const auto& [path, value] : OpenAt(*left.policy, machine.Paths())) {
        open += value;
        const int most = std::min(at_before.at(path), of_object[machine.Host().ObjectAt(path).inode]);
        ASSERT_LE(value, most) << "machine " << i << ", " << path << "\nceiling" << ListsText(ceiling)
                               << "\nrequest" << ListsText(request) << "\nleft\n"
                               << RulesText(*left.policy) << "of the request\n"
                               << RulesText(*before) << "of the ceiling\n"
                               << RulesText(*bound);
      }
    }
  }
  EXPECT_GT(held, pairs / 4);
  EXPECT_GT(open, pairs / 4);
}

TEST(CeilingPairs, UnderWhatAllowsAllNothingIsCut) {
  for (unsigned i = 0; i < 100; ++i) {
    Machine machine(i);
    const Lists request = machine.Some();
    const Result<Policy> before = Resolve(ConfigOf(request), machine.Host(), {});
    const Left left = Under({.rw = {"/", "/tmp"}}, request, machine.Host());
    ASSERT_EQ(before.ok(), left.policy.ok());
    if (!before) continue;
    EXPECT_EQ(RulesText(*before), RulesText(*left.policy)) << ListsText(request);
    EXPECT_TRUE(left.cuts.empty()) << ListsText(request) << left.cuts.front().message;
  }
}

}  // namespace
}  // namespace mxc::ceiling_paths_test
