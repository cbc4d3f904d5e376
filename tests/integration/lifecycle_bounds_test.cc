// What a holder puts up with: launchers that say nothing, more commands than it admits, the loss of its name.
// All of it is the holder's own, whatever containment it holds.
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/support/lifecycle_test.h"

namespace mxc::test {
namespace {

class LifecycleBounds : public LifecycleTest {
 protected:
  // `id` with its state directory known; `script` finds the path of its socket in `path`.
  [[nodiscard]] Ended Knock(const std::string& directory, const std::string& id,
                            const std::string& script) const {
    const std::string path = directory + "/" + prefix + "-" + id.substr(prefix.size() + 1);
    return Execute(
        {.program = "/usr/bin/python3",
         .arguments = {"-c",
                       "import array, os, resource, socket, struct\n"
                       "path = '" +
                           path +
                           "'\n"
                           "pid = os.open('/proc/self/ns/pid', os.O_RDONLY)\n"
                           "def call(verb):\n"
                           "  s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)\n"
                           "  s.connect(path)\n"
                           "  rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [pid]))]\n"
                           "  if verb is not None: s.sendmsg([struct.pack('II', 0x3163786d, verb)], rights)\n"
                           "  return s\n" +
                           script},
         .uid = uid,
         .deadline = std::chrono::seconds{60}});
  }
};
INSTANTIATE_TEST_SUITE_P(As, LifecycleBounds,
                         testing::Values(Setting{Caller::kRoot, "namespaces"},
                                         Setting{Caller::kUser, "namespaces"}),
                         CallerOf);

TEST_P(LifecycleBounds, ASilentCallerIsSentAway) {
  const std::string directory = OwnDirectory();
  const std::string id = Provision();
  EXPECT_EQ(Knock(directory, id, "s = call(None)\ns.settimeout(20)\nprint(len(s.recv(9)))\n").out, "0\n");
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

// Whoever removes a sandbox's socket has no other way to end it.
TEST_P(LifecycleBounds, WithoutItsNameItEnds) {
  const std::string directory = OwnDirectory();
  const std::string id = Started();
  const pid_t holder = HolderOf(id);
  ASSERT_GT(holder, 0);
  ASSERT_EQ(::unlink((directory + "/" + prefix + "-" + id.substr(prefix.size() + 1)).c_str()), 0);
  std::this_thread::sleep_for(std::chrono::seconds(25));  // it looks every thirty
  EXPECT_TRUE(Eventually([&] { return ::kill(holder, 0) != 0; }));
}

}  // namespace
}  // namespace mxc::test
