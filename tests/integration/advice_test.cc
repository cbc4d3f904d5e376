// What --report advises, followed to the letter: the job passes, and no secret shows.
#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/support/launcher_test.h"

namespace mxc::test::advice_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Advice : public LauncherTest {
 protected:
  Ended Run(const std::vector<std::string>& flags, const std::string& job) const {
    std::vector<std::string> arguments = {"--report", "--containment", "namespaces"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    arguments.insert(arguments.end(), {"--", "sh", "-c", job});
    Launch launch = Prepare(arguments);
    launch.environment = {"PATH=/usr/bin:/bin", "HOME=" + workspace.Path("home")};
    return Execute(launch);
  }
  // Does what the lines say, and returns the flags they name.
  std::vector<std::string> Follow(const std::string& report) const {
    std::vector<std::string> flags;
    for (const std::string& line : Lines(report)) {
      constexpr std::string_view kBegin = "    to allow it, ";
      if (!line.starts_with(kBegin)) continue;
      std::string rest = line.substr(kBegin.size());
      if (rest.starts_with("run ")) {
        const std::size_t end = rest.find(" before, and ");
        const Ended made =
            Execute({.program = "/bin/sh", .arguments = {"-c", rest.substr(4, end - 4)}, .uid = uid});
        EXPECT_EQ(made.status, 0) << made.err;
        rest = rest.substr(end + std::string_view(" before, and ").size());
      }
      const Ended words =
          Execute({.program = "/bin/sh", .arguments = {"-c", "printf '%s\\n' " + rest.substr(4)}});
      for (const std::string& word : Lines(words.out)) flags.push_back(word);
    }
    return flags;
  }
};
MXC_FOR_EACH_CALLER(Advice);

TEST_P(Advice, MakesTheJobPassAndOpensNoSecret) {
  const std::string home = workspace.Directory("home");
  const std::string secret = Token();
  for (const char* name : {"home/.ssh/id_rsa", "home/.aws/credentials", "home/.config/gh/hosts.yml"})
    workspace.File(name, secret);
  const std::string input = workspace.File("data/it's in", "input");
  workspace.File("home/.config/tool/rc", "rc");
  const std::string out = workspace.Directory("out");
  const std::string job = "set -e; cat \"" + input + "\"; cat " + home + "/.config/tool/rc; echo x > " + out +
                          "/new; mkdir -p " + home + "/made; echo y > " + home + "/made/file; echo z > " +
                          home + "/.config/note; echo passed";
  const std::string look = "; ls " + home + " " + home + "/.config; cat " + home + "/.ssh/id_rsa " + home +
                           "/.aws/credentials " + home + "/.config/gh/hosts.yml /etc/shadow; true";
  std::vector<std::string> flags;
  Ended ended;
  for (int round = 0; round < 8; ++round) {
    ended = Run(flags, job);
    if (ended.status == 0) break;
    for (std::string& flag : Follow(ended.err)) flags.push_back(std::move(flag));
  }
  EXPECT_THAT(ended.out, HasSubstr("passed\n")) << ended.err;
  ended = Run(flags, job + look);
  for (const std::string& flag : Follow(ended.err)) flags.push_back(flag);
  ended = Run(flags, job + look);
  EXPECT_THAT(ended.out + ended.err, Not(HasSubstr(secret)));
  EXPECT_THAT(ended.out, Not(HasSubstr("root:")));
  for (const std::string& flag : flags) {
    EXPECT_NE(flag, home);
    EXPECT_NE(flag, home + "/.config");
    EXPECT_NE(flag, "/etc");
    EXPECT_NE(flag, "/");
  }
}

}  // namespace
}  // namespace mxc::test::advice_test
