// Policies that try to be misunderstood.
#include <fcntl.h>
#include <sys/syscall.h>

#include <atomic>
#include <thread>

#include "tests/containment/containment.h"

namespace mxc::test::abuse_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Abuse : public ContainmentTest {
 protected:
  // The configuration of a guest that reads `file`, with `from` replaced by `to` in the text.
  Ended RunEdited(const Parts& policy, const std::string& file, const std::string& from,
                  const std::string& to) const {
    const Launch launch = PrepareGuest(policy, {{"read", file}});
    std::string text = *Contents(workspace.Path("config.json"));
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << text;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    workspace.File("config.json", text);
    return Execute(launch);
  }
};
MXC_FOR_EACH_CALLER_AND_ENGINE(Abuse);

// Each would lose the denial if it were read loosely.
TEST_P(Abuse, ADenialIsNeverLost) {
  const std::string file = Secret("ro/secret");
  const Parts policy = {.read_only = {workspace.Path("ro")}, .denied = {file}};
  const std::string denied = R"("deniedPaths":[)" + Quote(file) + "]";
  const std::vector<std::string> replacements = {
      denied + R"(,"deniedPaths":[])",
      R"("denyPaths":[)" + Quote(file) + "]",
      R"("DeniedPaths":[)" + Quote(file) + "]",
      R"("deniedPaths":)" + Quote(file),
      R"("deniedPaths":{)" + Quote(file) + ":true}",
      R"("deniedPaths":[[)" + Quote(file) + "]]",
      R"("deniedPaths":null)",
      R"("deniedPaths":[)" + Quote(file) + ",null]",
      R"("deniedPaths":[""])",
      R"("deniedPaths":["ro/secret"])",
      R"("deniedPaths":[)" + Quote(file).insert(file.size() + 1, "\\u0000") + "]",
  };
  for (const std::string& replacement : replacements) {
    const Ended ended = RunEdited(policy, file, denied, replacement);
    EXPECT_EQ(ended.status, 1) << replacement << ended.err;
    EXPECT_THAT(ended.out, Not(HasSubstr(token))) << replacement;
  }
}

TEST_P(Abuse, AGrantIsNeverWidened) {
  const std::string file = Secret("unlisted/secret");
  const Parts policy = {.read_write = {"GRANT"}};
  for (const std::string& grant :
       std::vector<std::string>{"", ".", "..", "unlisted", "~", "/var/tmp/mxc-test-*/unlisted", "${HOME}",
                                "file:///var", workspace.Path("unlisted") + "\\u0000x"}) {
    const Ended ended = RunEdited(policy, file, R"(["GRANT"])", R"([")" + grant + R"("])");
    // A pattern is the path of a file that is not there: left out, like any other.
    EXPECT_EQ(ended.status == 0, grant.find('*') != std::string::npos) << grant;
    EXPECT_THAT(ended.out, Not(HasSubstr(token))) << grant;
  }
}

TEST_P(Abuse, NoContainmentMeansNoRun) {
  const std::string outside = workspace.Directory("outside", 0777);
  const std::vector<std::pair<const char*, const char*>> refusals = {{"none", "backend_unavailable"},
                                                                     {"host", "malformed_request"},
                                                                     {"Bubblewrap", "malformed_request"},
                                                                     {"vm", "unsupported_containment"}};
  for (const auto& [name, code] : refusals) {
    Parts policy = {.version = "1.1.0-alpha", .containment = name, .command = "touch " + outside + "/ran"};
    const Ended ended = Execute(PrepareConfig(policy, {"--experimental"}));
    EXPECT_EQ(EnvelopeCode(ended), code) << name << ended.err;
  }
  EXPECT_THAT(Names(outside), IsEmpty());
}

TEST_P(Abuse, ContainerNamesAreOnlyNames) {
  const std::string outside = workspace.Directory("outside", 0777);
  for (const std::string& name : {std::string("../../../../../..") + outside + "/x", outside + "/y",
                                  std::string("$(touch z)"), std::string(5000, 'a')}) {
    const Ended ended = RunConfig({.cwd = "/", .more = R"("containerId":)" + Quote(name)});
    EXPECT_EQ(ended.status, 0) << name.substr(0, 40) << ended.err;
  }
  EXPECT_THAT(Names(outside), IsEmpty());
}

TEST_P(Abuse, AVariableDoesNotBecomeTwo) {
  EXPECT_EQ(RunConfig({.command = "env | grep -c ^INJECTED= || true; printf %s \"$A\"",
                       .environment = {{"PATH=/usr/bin:/bin", "A=1\nINJECTED=2"}}})
                .out,
            "1\n1\nINJECTED=2");
  EXPECT_EQ(RunConfig({.command = "test -z \"${INJECTED+set}\"",
                       .environment = {{"PATH=/usr/bin:/bin", "A=1\nINJECTED=2"}}})
                .status,
            0);
}

// The grant is swapped for a symlink to somewhere else, again and again, while launches resolve it.
TEST_P(Abuse, APathThatChangesBetweenCheckAndUse) {
  Secret("unlisted/secret");
  const std::string rw = workspace.Directory("rw");
  workspace.File("rw/flip/ok", "OK");
  workspace.Link("rw/other", workspace.Path("unlisted"));
  std::atomic<bool> stop = false;
  std::thread swapper([&] {
    while (!stop) {
      ::renameat2(AT_FDCWD, (rw + "/flip").c_str(), AT_FDCWD, (rw + "/other").c_str(), RENAME_EXCHANGE);
      ::usleep(300);
    }
  });
  const Launch launch = PrepareGuest({.read_write = {rw + "/flip"}}, {{"read", rw + "/flip/secret"}});
  int ran = 0;
  int refused = 0;
  for (int round = 0; round < 15 || ((ran == 0 || refused == 0) && round < 300); ++round) {
    const Ended ended = Execute(launch);
    (ended.status == 0 ? ran : refused) += 1;
    EXPECT_EQ(ended.out, ended.status == 0 ? "ENOENT\n" : "") << ended.err;
  }
  stop = true;
  swapper.join();
  EXPECT_GT(ran, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace mxc::test::abuse_test
