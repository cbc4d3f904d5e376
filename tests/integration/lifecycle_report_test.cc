// --report of a command in a persistent sandbox: what was refused while it ran, as a run of its own tells it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/file_denials.h"
#include "tests/support/lifecycle_test.h"
#include "tests/support/listener.h"

namespace mxc::test::lifecycle_report_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

// Nobody has these addresses, nor the name.
constexpr const char* kOneHost =
    R"("network":{"egress":{"allow":[{"to":[{"cidr":"203.0.113.5/32"}],"ports":[{"protocol":"tcp","port":80}]}]}})";
constexpr const char* kConnect = "bash -c ': < /dev/tcp/203.0.113.9/80' 2> /dev/null; ";

class LifecycleReport : public LifecycleTest {
 protected:
  [[nodiscard]] Launch Reported(const std::string& id, const std::string& line,
                                std::vector<std::string> flags = {"--report"}) const {
    Launch launch = Phase("stop", "");  // with the environment of this test
    launch.arguments = {"exec"};
    launch.arguments.insert(launch.arguments.end(), flags.begin(), flags.end());
    launch.arguments.insert(launch.arguments.end(), {id, "--", "sh", "-c", line});
    return launch;
  }
  [[nodiscard]] Ended Report(const std::string& id, const std::string& line) const {
    return Execute(Reported(id, line));
  }
  [[nodiscard]] std::string Grant(const std::string& key, const std::string& path) const {
    return Quote(key) + ":[" + Quote(path) + "]";
  }

  std::string work = workspace.Directory("work");
  std::string hidden = workspace.File("hidden/file", "x");
};
MXC_FOR_EACH_CALLER_AND_ENGINE(LifecycleReport);

TEST_P(LifecycleReport, TellsTheFilesThatWereDenied) {
  const std::string denied = workspace.File("work/.env", "x");
  const std::string ro = workspace.File("ro/file", "x");
  const std::string id =
      Started("\"filesystem\":{" + Grant("readwritePaths", work) + "," +
              Grant("readonlyPaths", workspace.Path("ro")) + "," + Grant("deniedPaths", denied) + "}");
  const Ended ended = Report(id, "cat " + denied + " " + hidden + "; echo > " + ro + "; exit 3");
  EXPECT_EQ(ended.status, 3);
  EXPECT_THAT(ended.err, TellsThreeDenials(denied, hidden, ro));
  EXPECT_THAT(Report(id, "true").err, HasSubstr("mxc-exec: files: 0 denied\n"));
}

TEST_P(LifecycleReport, IsOfRequestsWithAPhaseAsWell) {
  const std::string id = Started();
  const std::string result = workspace.Path("result");
  Launch launch = ExecOf(id, "cat " + hidden);
  launch.arguments.insert(launch.arguments.begin(), {"--report=short", "--result", result});
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.err, EndsWith("mxc-exec: refused: '" + hidden +
                                  "' (read): nothing of the policy grants it; to allow it, add '" + hidden +
                                  "' to filesystem.readonlyPaths\n"));
  std::vector<std::string> paths;
  for (const std::string& line : Lines(Contents(result).value_or(""))) {
    if (At(line, "/event") == "file" && At(line, "/use") == "read") paths.push_back(At(line, "/path"));
  }
  EXPECT_THAT(paths, testing::ElementsAre(hidden));
}

// The gateway tells a refusal that it has told once more at its end only.
TEST_P(LifecycleReport, TellsTheNetworkToEachCommandThatMetIt) {
  const std::string id = Started(kOneHost);
  for (const int times : {1, 3, 2}) {
    std::string line;
    for (int i = 0; i < times; ++i) line += kConnect;
    const std::string counted = times == 1 ? "" : ", " + std::to_string(times) + " times";
    EXPECT_THAT(
        Report(id, line).err,
        AllOf(HasSubstr("mxc-exec: network: 0 connections passed (0 bytes), 1 destination refused\n"),
              HasSubstr("  203.0.113.9 port 80 (tcp)" + counted + ": no rule allows it\n"),
              HasSubstr("to allow it, add {\"to\":[{\"cidr\":\"203.0.113.9/32\"}],"
                        "\"ports\":[{\"protocol\":\"tcp\",\"port\":80}]} to network.egress.allow\n")));
    EXPECT_THAT(Report(id, "true").err, HasSubstr("0 destinations refused\n"));
  }
}

TEST_P(LifecycleReport, RefusalsOfTheNetworkAreEventsWithoutIt) {
  const std::string id = Started(kOneHost);
  const std::string result = workspace.Path("result");
  ASSERT_EQ(Execute(Reported(id, std::string(kConnect) + "true", {"--result", result})).status, 0);
  EXPECT_THAT(Contents(result).value_or(""),
              HasSubstr(R"("kind":"connection","verdict":"deny","protocol":"tcp","address":"203.0.113.9")"));
}

TEST_P(LifecycleReport, CommandsThatRunTogetherAreToldTheNetworkOfBothAndTheirOwnFiles) {
  const std::string id =
      Started(std::string(kOneHost) + ",\"filesystem\":{" + Grant("readwritePaths", work) + "}");
  Running other{Reported(id, "echo begun; until [ -e " + work + "/done ]; do sleep 0.05; done")};
  ASSERT_TRUE(other.SaysOnStdout("begun\n"));
  EXPECT_THAT(Report(id, kConnect + ("cat " + hidden)).err,
              AllOf(HasSubstr("'" + hidden + "' (read)"), HasSubstr("1 destination refused")));
  workspace.File("work/done", "");
  EXPECT_THAT(other.Wait().err, AllOf(HasSubstr("files: 0 denied"), HasSubstr("1 destination refused")));
}

// Without a rule there is no gateway, unless one is wanted for this.
TEST_P(LifecycleReport, AStartThatIsToReportHasTheNetworkWatched) {
  const std::string id = Started();
  EXPECT_THAT(
      Report(id, kConnect).err,
      HasSubstr("mxc-exec: network: none, and not watched; `mxc-exec start --report` has it watched\n"));
  Launch start = Phase("stop", "");
  start.arguments = {"start", "--report", "--containment", containment};
  const std::string watched = Execute(start).out;
  provisioned.push_back(watched.substr(0, watched.find('\n')));
  EXPECT_THAT(Report(provisioned.back(), kConnect).err,
              HasSubstr("to allow it, add --allow-host 203.0.113.9:80\n"));
}

TEST_P(LifecycleReport, AServerOfTheHostsLoopbackIsTold) {
  const auto tried = [](const std::string& port) {
    return "bash -c ': < /dev/tcp/127.0.0.1/" + port + "' 2> /dev/null";
  };
  const Listener host = Listener::Tcp("127.0.0.1");
  EXPECT_THAT(Report(Started(), tried(host.Port())).err,
              HasSubstr("connect to host.mxc.internal:" + host.Port() + "\n"));
  const std::string free = Listener::Tcp("127.0.0.1").Port();
  const std::string id =
      Started(R"("network":{"ingress":{"publish":[{"host":)" + free + R"(,"guest":80}]}})");
  EXPECT_THAT(Report(id, tried(free)).err, HasSubstr("0 destinations refused")) << "it is our own listener";
}

TEST_P(LifecycleReport, FlagsOfTheStartAreNamed) {
  Launch start = Phase("stop", "");
  start.arguments = {"start", "--containment", containment, "--rw", work, "--deny", work + "/denied"};
  workspace.File("work/denied", "x");
  const std::string id = Execute(start).out;
  provisioned.push_back(id.substr(0, id.find('\n')));
  EXPECT_THAT(Report(provisioned.back(), "cat " + work + "/denied").err,
              HasSubstr("'" + work + "/denied' (read): denied\n    decided by --deny " + work + "/denied\n"));
}

// The environment is the command's own.
TEST_P(LifecycleReport, SecretsOfTheCommandAreNotShown) {
  const std::string id = Started();
  const std::string secret = workspace.File("hidden/s3cr3t-value-of-it", "x");
  EXPECT_THAT(
      Execute(Reported(id, "cat " + secret, {"--report", "--env", "MY_TOKEN=s3cr3t-value-of-it"})).err,
      AllOf(HasSubstr("files: 1 denied"), HasSubstr("/[REDACTED]' (read)")));
}

TEST_P(LifecycleReport, ACommandCannotBlockOrForgeIt) {
  const std::string id = Started(kOneHost);
  workspace.File("hidden/\x1b[31m", "x");
  EXPECT_THAT(Report(id, "cd /; cat " + workspace.Path("hidden") + "/$(printf '\\033[31m') 2> /dev/null").err,
              AllOf(HasSubstr("files: 1 denied"), Not(HasSubstr("\x1b"))));
  const Ended killed = Report(id, kConnect + ("cat " + hidden + "; kill -9 $PPID; sleep 5"));
  EXPECT_EQ(killed.status, 255);
  EXPECT_THAT(killed.err, AllOf(HasSubstr("'" + hidden + "' (read)"), HasSubstr("203.0.113.9 port 80")));
}

TEST_P(LifecycleReport, IsRefusedWhereNobodyWouldBeTold) {
  const std::string id = Started();
  for (const std::string phase : {"start", "stop", "deprovision"}) {
    Launch launch = Phase(phase, id);
    launch.arguments.insert(launch.arguments.begin(), "--report");
    EXPECT_THAT(At(Execute(launch).out, "/error/message"), HasSubstr("--report is of commands"));
  }
  EXPECT_THAT(Execute(Reported(id, "true", {"--background", "--report"})).err,
              HasSubstr("'exec --background' takes no --report"));
}

// ---- the audit log ---------------------------------------------------------------------------------------

TEST_P(LifecycleReport, TheAuditCountsRefusalsOfEachCommand) {
  const std::string records = workspace.Directory("records");
  const std::string id =
      Started(std::string(kOneHost) + R"(,"audit":{"path":)" + Quote(records + "/audit") + "}");
  const std::string three = std::string(kConnect) + kConnect + kConnect + "true";
  ASSERT_EQ(Exec(id, three).status, 0);
  ASSERT_EQ(Exec(id, "true").status, 0);
  std::vector<int> denied;
  std::uint64_t told = 0;
  for (const std::string& line : Lines(Contents(records + "/audit").value_or(""))) {
    const nlohmann::json record = nlohmann::json::parse(line);
    if (record["event"] == "end") denied.push_back(record["denied"].get<int>());
    if (record["event"] == "network") told += 1 + record["lost"].get<std::uint64_t>();
  }
  EXPECT_THAT(denied, testing::ElementsAre(3, 0));
  EXPECT_EQ(told, 3U);
}

TEST_P(LifecycleReport, TheAuditCountsRefusalsOfARun) {
  const std::string records = workspace.Directory("records");
  const std::string config = R"({"version":"1.0.0","containment":)" + Quote(containment) + "," + kOneHost +
                             R"(,"audit":{"path":)" + Quote(records + "/audit") +
                             R"(},"process":{"commandLine":)" +
                             Quote(std::string(kConnect) + kConnect + kConnect + "true") + "}}";
  Launch launch = Phase("stop", "");
  launch.arguments = {workspace.File("config.json", config)};
  const Ended ended = Execute(launch);
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::vector<std::string> lines = Lines(Contents(records + "/audit").value_or(""));
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(nlohmann::json::parse(lines.back())["denied"], 3);
}

}  // namespace
}  // namespace mxc::test::lifecycle_report_test
