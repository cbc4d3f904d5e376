// What a daemon puts up with: calls that are none, more commands than it admits, the loss of its name.
// All of it is the daemon's own, whatever containment it holds.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "tests/support/lifecycle_test.h"

namespace mxc::test::lifecycle_bounds_test {
namespace {

using testing::HasSubstr;

class LifecycleBounds : public LifecycleTest {
 protected:
  // `id` with its state directory known; `script` finds the path of its socket in `path`.
  [[nodiscard]] Ended Knock(const std::string& directory, const std::string& id,
                            const std::string& script) const {
    const std::string path = directory + "/" + prefix + "-" + id.substr(prefix.size() + 1);
    return Execute({.program = "/usr/bin/python3",
                    .arguments = {"-c",
                                  "import os, resource, socket, struct\n"
                                  "path = '" +
                                      path +
                                      "'\n"
                                      "def connected():\n"
                                      "  h = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)\n"
                                      "  h.connect(path)\n"
                                      "  return h\n"
                                      "def call(verb):\n"
                                      "  h, name = connected(), os.path.basename(path).encode()\n"
                                      "  h.send(struct.pack('II64s', 0x3563786d, verb, name))\n"
                                      "  return h\n" +
                                      script},
                    .uid = uid,
                    .deadline = std::chrono::seconds{60}});
  }
  // `work` is writable, and something stands at the missing `work`/missing for as long as the sandbox runs.
  [[nodiscard]] std::string StartedWithPlaceholder(const std::string& work) {
    return Started(R"("filesystem":{"readwritePaths":[)" + Quote(work) + R"(],"deniedPaths":[)" +
                   Quote(work + "/missing") + "]}");
  }
  // -1: `process` has none of this name.
  static pid_t ChildOf(pid_t process, const std::string& name) {
    const std::string id = std::to_string(process);
    std::istringstream children(Contents("/proc/" + id + "/task/" + id + "/children").value_or(""));
    for (pid_t child = 0; children >> child;) {
      const std::string folder = "/proc/" + std::to_string(child);
      if (Contents(folder + "/cmdline").value_or("").starts_with(name)) return child;
      if (Contents(folder + "/comm").value_or("") == name + "\n") return child;
    }
    return -1;
  }
};
INSTANTIATE_TEST_SUITE_P(As, LifecycleBounds,
                         testing::Values(Setting{Caller::kRoot, "namespaces"},
                                         Setting{Caller::kUser, "namespaces"}),
                         CallerOf);

// Whoever waits for an end of the caller's would wait as long as the sandbox stays.
TEST_P(LifecycleBounds, TheHolderKeepsNothingOfTheCallers) {
  [[maybe_unused]] const std::string directory = OwnDirectory();
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd reader{ends[0]};
  UniqueFd writer{ends[1]};
  Launch launch = ProvisionOf();
  launch.cwd = workspace.Root();
  launch.files = {{writer.Get(), 3}, {writer.Get(), 200}};
  provisioned.push_back(At(Execute(launch).out, "/result/sandboxId"));
  writer.Reset();
  pollfd ended{.fd = reader.Get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&ended, 1, 10000), 1) << "the daemon holds it open";
  const pid_t daemon = DaemonOf(provisioned.back());
  ASSERT_GT(daemon, 0);
  const std::string folder = "/proc/" + std::to_string(daemon);
  EXPECT_EQ(Contents(folder + "/cmdline").value_or("").find(workspace.Root()), std::string::npos);
  EXPECT_EQ(::getsid(daemon), daemon);
  if (::geteuid() != 0) GTEST_SKIP() << "only root may look at its working directory";
  EXPECT_EQ(std::filesystem::read_symlink(folder + "/cwd").string(), "/");
}

// As `sudo -E` names it: whoever owns it could put another directory in the place of ours.
TEST_P(LifecycleBounds, RootTakesNoDirectoryOfAUsers) {
  if (uid != 0) GTEST_SKIP() << "only root may use what is somebody else's";
  const std::string theirs = workspace.Directory("theirs");
  ASSERT_EQ(::chmod(theirs.c_str(), 0700) + ::chown(theirs.c_str(), 23456, 23456), 0);
  Launch launch = ProvisionOf();
  launch.environment.push_back("XDG_RUNTIME_DIR=" + theirs);
  provisioned.push_back(At(Execute(launch).out, "/result/sandboxId"));
  EXPECT_THAT(Names(theirs), testing::IsEmpty());
  EXPECT_GT(DaemonOf(provisioned.back()), 0);
}

TEST_P(LifecycleBounds, WhatIsNoCallIsPassedOver) {
  const std::string directory = OwnDirectory();
  const std::string id = Provision();
  EXPECT_EQ(Knock(directory, id,
                  "for i in range(1, 300): connected().send(b'x' * i)\n"
                  "silent = [connected() for i in range(300)]\n"
                  "print(len(call(99).recv(9)) > 0, len(call(4).recv(9)) > 0)\n")
                .out,
            "True True\n");
}

TEST_P(LifecycleBounds, CommandsAtATimeAreCounted) {
  const std::string directory = OwnDirectory();
  const std::string id = Started();
  const Ended ended = Knock(directory, id,
                            "resource.setrlimit(resource.RLIMIT_NOFILE, (2048, 2048))\n"
                            "calls, refused = [], []\n"
                            "for i in range(1025):\n"
                            "  calls.append(call(1))\n"
                            "  if b'as many commands' in calls[-1].recv(65536): refused.append(i)\n"
                            "print(refused)\n");
  EXPECT_EQ(ended.out, "[1024]\n") << ended.err;
  EXPECT_TRUE(Eventually([&] { return Exec(id, "echo still").out == "still\n"; }));
}

// Each pause is shorter than the limit, and with what was before it longer.
TEST_P(LifecycleBounds, WhatIsAskedForAndWhatEndsKeepsASandboxFromBeingIdle) {
  const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2500)); };
  const std::string id = Provision(R"("session":{"idleTimeoutMs":4000})");
  pause();
  EXPECT_EQ(Execute(Phase("start", id)).status, 0);
  pause();
  EXPECT_EQ(Exec(id, "sleep 2.5; echo used").out, "used\n");
  pause();
  EXPECT_EQ(Exec(id, "echo again").out, "again\n");
}

// By its owner, or for lack of memory.
TEST_P(LifecycleBounds, AKilledInitStopsTheSandbox) {
  [[maybe_unused]] const std::string directory = OwnDirectory();  // --list shows what is in there
  const std::string work = workspace.Directory("work");
  const std::string id = StartedWithPlaceholder(work);
  const pid_t daemon = DaemonOf(id);
  const pid_t init = ChildOf(daemon, "mxc-init");
  ASSERT_GT(init, 0);
  ASSERT_EQ(::kill(init, SIGKILL), 0);
  EXPECT_TRUE(Eventually([&] { return Listed(id, "state") == "stopped"; }));
  EXPECT_TRUE(Eventually([&] { return !Exists(work + "/missing"); })) << "what stood on the host";
  EXPECT_EQ(CodeOf(Exec(id, "true")), "not_started");
  EXPECT_EQ(Execute(Phase("start", id)).status, 0);
  EXPECT_EQ(Exec(id, "echo again").out, "again\n");
}

// Nobody deprovisions what is dead: whoever comes next clears the host.
TEST_P(LifecycleBounds, TheNextProvisionClearsAwayWhatIsLeft) {
  [[maybe_unused]] const std::string directory = OwnDirectory();
  const std::string work = workspace.Directory("work");
  const std::string id = StartedWithPlaceholder(work);
  const pid_t daemon = DaemonOf(id);
  const pid_t cleanup_process = ChildOf(daemon, "mxc-cleanup");
  ASSERT_GT(cleanup_process, 0);
  ASSERT_EQ(::kill(cleanup_process, SIGKILL) + ::kill(daemon, SIGKILL), 0);
  EXPECT_TRUE(Eventually([&] { return ::kill(daemon, 0) != 0; }));
  EXPECT_TRUE(Exists(work + "/missing"));
  EXPECT_FALSE(Provision().empty());
  EXPECT_FALSE(Exists(work + "/missing"));
  EXPECT_EQ(CodeOf(Exec(id, "true")), "stale_id");
}

// What it listed is not known any more: the user is told, once, and the file stays for whoever looks into it.
TEST_P(LifecycleBounds, ARecordThatCannotBeReadIsToldAndMovedAside) {
  const std::string directory = OwnDirectory();
  const std::string work = workspace.Directory("work");
  const auto reap = [&] {
    Launch launch = Prepare({"--reap"});
    launch.environment.push_back("XDG_RUNTIME_DIR=" + workspace.Path("runtime"));
    return Execute(launch);
  };
  const auto cut_short = [](const std::string& record) {
    std::filesystem::resize_file(record, std::filesystem::file_size(record) / 2);
  };
  const auto emptied = [](const std::string& record) { std::filesystem::resize_file(record, 0); };
  const auto no_record = [](const std::string& record) { std::ofstream(record) << "\xa1\x61\x61\x01"; };
  const auto no_file = [](const std::string& record) {
    std::filesystem::remove(record);
    std::filesystem::create_symlink("/dev/zero", record);
  };
  for (const auto& spoil :
       std::vector<std::function<void(const std::string&)>>{cut_short, emptied, no_record, no_file}) {
    const std::string id = StartedWithPlaceholder(work);
    const std::string name = prefix + "-" + id.substr(prefix.size() + 1) + ".left";
    const pid_t daemon = DaemonOf(id);
    const pid_t cleanup_process = ChildOf(daemon, "mxc-cleanup");
    ASSERT_GT(cleanup_process, 0);
    ASSERT_EQ(::kill(cleanup_process, SIGKILL) + ::kill(daemon, SIGKILL), 0);
    EXPECT_TRUE(Eventually([&] { return ::kill(daemon, 0) != 0; }));
    spoil(directory + "/" + name);
    const Ended reaped = reap();
    EXPECT_THAT(reaped.out, HasSubstr(id));
    EXPECT_THAT(reaped.err, HasSubstr("'" + directory + "/" + name + ".unreadable'"));
    EXPECT_THAT(Names(directory), testing::ElementsAre(name + ".unreadable"));
    EXPECT_EQ(reap().err, "");
    EXPECT_THAT(Names(directory), testing::ElementsAre(name + ".unreadable"));
    // As it says.
    EXPECT_TRUE(Exists(work + "/missing"));
    EXPECT_EQ(Execute(Phase("deprovision", StartedWithPlaceholder(work))).status, 0);
    EXPECT_FALSE(Exists(work + "/missing"));
    std::filesystem::remove(directory + "/" + name + ".unreadable");
  }
}

TEST_P(LifecycleBounds, TheNextProvisionTellsOfARecordThatItCannotRead) {
  const std::string directory = OwnDirectory();
  const Ended none = Execute(ProvisionOf());  // makes the directory
  provisioned.push_back(At(none.out, "/result/sandboxId"));
  const std::string name = "ns-" + std::string(32, 'a') + ".left";
  std::ofstream(directory + "/" + name) << "no record";
  const Ended next = Execute(ProvisionOf());
  provisioned.push_back(At(next.out, "/result/sandboxId"));
  EXPECT_THAT(next.err, HasSubstr("'" + directory + "/" + name + ".unreadable'"));
  EXPECT_TRUE(Exists(directory + "/" + name + ".unreadable"));
  const Ended last = Execute(ProvisionOf());
  provisioned.push_back(At(last.out, "/result/sandboxId"));
  EXPECT_EQ(last.err, "");
}

TEST_P(LifecycleBounds, DeleteTakesAnIdentifier) {
  const std::string id = Started();
  const auto remove = [&](const std::string& name) {
    return Execute(Prepare({"--delete", "--containername", name}));
  };
  EXPECT_EQ(remove(id).out, "Container '" + id + "' deleted.\n");
  EXPECT_EQ(CodeOf(Exec(id, "true")), "stale_id");
  const Ended again = remove(id);
  EXPECT_EQ(again.out, "Container '" + id + "' does not exist.\n");
  EXPECT_EQ(again.status, 1);
  EXPECT_EQ(remove("../" + id).status, 1);
}

// Whoever removes a sandbox's socket has no other way to end it.
TEST_P(LifecycleBounds, WithoutItsNameItEnds) {
  const std::string directory = OwnDirectory();
  const std::string id = Started();
  const pid_t daemon = DaemonOf(id);
  ASSERT_GT(daemon, 0);
  ASSERT_EQ(::unlink((directory + "/" + prefix + "-" + id.substr(prefix.size() + 1)).c_str()), 0);
  EXPECT_TRUE(Eventually([&] { return ::kill(daemon, 0) != 0; }));
}

}  // namespace
}  // namespace mxc::test::lifecycle_bounds_test
