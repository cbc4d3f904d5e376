// A marker in an environment value shows nowhere but in the command itself.
#include <gmock/gmock.h>

#include <csignal>
#include <sstream>

#include "tests/support/launcher_test.h"

namespace mxc::test::secrets_test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Secrets : public LauncherTest {
 protected:
  std::string marker = Token();
  [[nodiscard]] Parts WithSecret(const std::string& command) const {
    return {.command = command, .environment = {{"PATH=/usr/bin:/bin", "TOKEN=" + marker}}};
  }
};
MXC_FOR_EACH_CALLER(Secrets);

TEST_P(Secrets, ReachTheCommand) { EXPECT_EQ(RunConfig(WithSecret("echo $TOKEN")).out, marker + "\n"); }

TEST_P(Secrets, ShowInNoOutput) {
  const std::vector<std::vector<std::string>> calls = {
      {}, {"--debug"}, {"--explain"}, {"--explain=json"}, {"--dry-run"}, {"--dry-run", "--debug"}};
  for (std::vector<std::string> flags : calls) {
    flags.insert(flags.end(), {"--log-file", workspace.Path("log"), "--result", workspace.Path("result")});
    Parts parts = WithSecret("exit 9");
    parts.more = R"("audit":{"path":)" + Quote(workspace.Path("audit")) + "}";
    const Ended ended = Execute(PrepareConfig(parts, flags));
    const bool runs = flags.front() == "--log-file" || flags.front() == "--debug";
    EXPECT_EQ(ended.status, runs ? 9 : 0) << testing::PrintToString(flags) << ended.err;
    EXPECT_THAT(ended.out, Not(HasSubstr(marker))) << testing::PrintToString(flags);
    EXPECT_THAT(ended.err, Not(HasSubstr(marker))) << testing::PrintToString(flags);
  }
  for (const char* file : {"log", "result", "audit"}) {
    ASSERT_TRUE(Exists(workspace.Path(file))) << file;
    EXPECT_THAT(*Contents(workspace.Path(file)), Not(HasSubstr(marker))) << file;
  }
}

// `curl "$TOKEN"`, a directory of that name: what the command tried, made or looked up is told without the
// value.
TEST_P(Secrets, ShowInNoNameThatIsTold) {
  const std::string grant = workspace.Directory("grant");
  for (const std::string flag : {"--report", "--report=short"}) {
    const std::string folder = workspace.Directory("records" + flag);
    Parts parts =
        WithSecret("cd " + grant +
                   "; touch /etc/$TOKEN; cat /srv/$TOKEN; getent hosts $TOKEN.test; mkdir -p $TOKEN/r; " +
                   "git init -q $TOKEN/r; mkdir -p d$TOKEN/.git/hooks; echo 'ref: refs/heads/main' > "
                   "d$TOKEN/.git/HEAD; exit 9");
    parts.read_write = {grant};
    parts.more = R"("audit":{"path":)" + Quote(folder + "/audit") + "}";
    Launch launch = PrepareConfig(
        parts, {flag, "--debug", "--log-file", folder + "/log", "--result", folder + "/result"});
    const Ended ended = Execute(launch);
    EXPECT_EQ(ended.status, 9) << ended.err;
    std::string ours;  // and not what the command's own programs say
    for (const std::string& line : Lines(ended.err)) ours += line.starts_with("mxc-exec:") ? line + "\n" : "";
    EXPECT_THAT(ours, HasSubstr("mxc-exec: ")) << ended.err;
    EXPECT_THAT(ours, Not(HasSubstr(marker)));
    EXPECT_THAT(ended.out, Not(HasSubstr(marker)));
    for (const char* file : {"/log", "/result", "/audit"}) {
      const std::string text = Contents(folder + file).value_or("");
      EXPECT_THAT(text, Not(HasSubstr(marker))) << file;
      EXPECT_THAT(text, AnyOf(HasSubstr("[REDACTED]"), Not(HasSubstr("\"network\"")))) << file;
    }
    EXPECT_EQ(Execute(Prepare({"--audit-verify", folder + "/audit"})).status, 0);
  }
}

TEST_P(Secrets, ShowInNoErrorAboutAPath) {
  const Ended ended = RunConfig({.command = "true",
                                 .environment = {{"PATH=/usr/bin:/bin", "TOKEN=" + marker}},
                                 .cwd = "/nonexistent/" + marker});
  EXPECT_THAT(EnvelopeMessage(ended), HasSubstr("/nonexistent/[REDACTED]"));
  EXPECT_THAT(ended.err, Not(HasSubstr(marker)));
}

TEST_P(Secrets, ShowInNoError) {
  const std::string env = R"("env":["TOKEN=)" + marker + R"("])";
  // And what is wrong with each.
  const std::vector<std::pair<std::string, std::string>> documents = {
      {R"({"process":{"commandLine":"true",)" + env + R"(,"foo":1}})", "unknown field `foo`"},
      {R"({"process":{"commandLine":"true","env":{"TOKEN":")" + marker + R"("}}})", "expected an array"},
      {R"({"version":"1.0.0","process":{"commandLine":"true","env":[")" + marker + R"("]}})", "has no `=`"},
      {R"({"process":{"commandLine":"true","env":[")" + marker +
           "\x01"
           R"("]}})",
       "must be escaped"},
      {R"({"process":{"commandLine":"true",)" + env, "unexpected end of input"},
      {R"({"process":{"commandLine":"true",)" + env + "," + env + "}}", "duplicate field `env`"},
      {R"({"process":{"commandLine":"true","env":["A=\u0000)" + marker + R"("]}})", "contains NUL"},
      {R"({"process":{"commandLine":"true","cwd":"/nonexistent",)" + env + "}}", "does not exist"},
  };
  for (const auto& [document, wrong] : documents) {
    const Ended ended = Execute(Prepare({"--debug", workspace.File("c.json", document)}));
    EXPECT_THAT(EnvelopeMessage(ended), HasSubstr(wrong)) << document;
    EXPECT_THAT(ended.err, Not(HasSubstr(marker)));
    EXPECT_THAT(ended.out, Not(HasSubstr(marker)));
  }
}

// Also where a run never gets to its command.
TEST_P(Secrets, ShowInNothingThatIsSaidOfTheirDocument) {
  const std::string env = R"("env":["MY_TOKEN=)" + marker + R"("]}})";
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {workspace.File("a.json",
                           R"({"process":{"commandLine":"true","cwd":"below/)" + marker + "\"," + env)},
           {workspace.File("b.json", R"({"process":{"commandLine":"true",")" + marker + "\":1," + env)},
           {"--env", "MY_TOKEN=" + marker, "--timeout", marker, "--", "true"},
           {"--env", "MY_TOKEN=" + marker, "--profile", marker, "--", "true"}}) {
    const Ended ended = Execute(Prepare(words));
    EXPECT_THAT(EnvelopeMessage(ended), HasSubstr("[REDACTED]")) << testing::PrintToString(words);
    EXPECT_THAT(EnvelopeMessage(ended), Not(HasSubstr(marker)));
  }
}

// The number of a process in its innermost pid namespace: 1 for the sandbox's init, which is ours.
std::string InnermostPid(const std::string& process) {
  for (const std::string& line : Lines(Contents(process + "/status").value_or(""))) {
    if (line.rfind("NSpid:", 0) != 0) continue;
    std::istringstream fields(line.substr(6));
    std::string last;
    int depth = 0;
    for (std::string field; fields >> field; ++depth) last = field;
    return depth > 1 ? last : "";
  }
  return "";
}

// Processes that show `marker` and are not the command.
std::vector<std::string> Leaks(const std::string& marker) {
  std::vector<std::string> leaks;
  for (const std::string& name : Names("/proc")) {
    const std::string process = "/proc/" + name;
    if (name.find_first_not_of("0123456789") != std::string::npos || name == std::to_string(::getpid()))
      continue;
    const std::string inner = InnermostPid(process);
    if (!inner.empty() && inner != "1") continue;  // the command and its children
    for (const char* file : {"/cmdline", "/environ"}) {
      if (Contents(process + file).value_or("").find(marker) != std::string::npos)
        leaks.push_back(process + file);
    }
  }
  return leaks;
}

TEST_P(Secrets, ShowInNoOtherProcess) {
  Running control(
      {.program = "/bin/sleep", .arguments = {"300"}, .environment = {"TOKEN=" + marker}, .uid = uid});
  ASSERT_TRUE(Eventually([&] { return Leaks(marker).size() == 1; })) << "a process that shows it is found";
  control.Signal(SIGKILL);
  ASSERT_EQ(control.Wait().status, -SIGKILL);
  const Parts parts = WithSecret("echo up; sleep 300");
  std::vector<Launch> launches = {PrepareConfig(parts), Prepare({"-"})};
  launches[1].input = ConfigText(parts);
  for (const Launch& launch : launches) {
    Running running(launch);
    ASSERT_TRUE(running.SaysOnStdout("up\n"));
    EXPECT_THAT(Leaks(marker), IsEmpty());
  }
}

TEST_P(Secrets, OfTheLauncherStayOutside) {
  Launch launch = PrepareConfig({.command = "cat /proc/[0-9]*/environ | tr '\\0' '\\n'"});
  launch.environment.push_back("LAUNCHER_SECRET=" + marker);
  const Ended ended = Execute(launch);
  EXPECT_THAT(ended.out, HasSubstr("PATH="));
  EXPECT_THAT(ended.out, Not(HasSubstr(marker)));
}

}  // namespace
}  // namespace mxc::test::secrets_test
