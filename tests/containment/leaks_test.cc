// What a launcher may leave open by mistake: environment, descriptors, shared objects, sockets.
#include <fcntl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <cstring>

#include "tests/containment/containment.h"
#include "tests/support/listener.h"

namespace mxc::test::leaks_test {
namespace {

using testing::AnyOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Leaks : public ContainmentTest {};
MXC_FOR_EACH_CALLER_AND_ENGINE(Leaks);

TEST_P(Leaks, EnvironmentOfTheLauncher) {
  Launch launch = PrepareGuest({}, {{"environment"}, {"find", "LAUNCHER_", "SECRET"}});
  launch.environment.push_back("LAUNCHER_SECRET=" + token);
  const std::vector<std::string> answers = Lines(Execute(launch).out);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_THAT(answers[0], HasSubstr("PATH="));
  EXPECT_THAT(answers[0], Not(HasSubstr("SECRET")));
  EXPECT_EQ(answers[1], "none");
}

TEST_P(Leaks, DescriptorsOfTheLauncher) {
  const UniqueFd file{::open(Secret("unlisted/file").c_str(), O_RDONLY | O_CLOEXEC)};
  const UniqueFd directory{::open(workspace.Path("unlisted").c_str(), O_RDONLY | O_CLOEXEC)};
  Launch launch = PrepareGuest({}, {{"descriptors"},
                                    {"read", "/proc/self/fd/9"},
                                    {"read", "/proc/1/fd/9"},
                                    {"read", "/proc/1/fd/700/file"}});
  launch.files = {{.borrowed_fd = file.Get(), .number = 9}, {.borrowed_fd = directory.Get(), .number = 700}};
  EXPECT_THAT(Lines(Execute(launch).out),
              ElementsAre("none", "ENOENT", AnyOf("ENOENT", "EACCES"), AnyOf("ENOENT", "EACCES")));
}

TEST_P(Leaks, SharedMemoryOfTheHost) {
  const key_t key = 0x4d580000 + ::getpid() % 0xffff;
  const int id = ::shmget(key, 4096, IPC_CREAT | 0666);
  if (id < 0) GTEST_SKIP() << "no System V shared memory here";
  void* memory = ::shmat(id, nullptr, 0);
  std::memcpy(memory, token.c_str(), token.size() + 1);
  const auto answers = Try({}, {{"shm", std::to_string(key)}});
  ::shmdt(memory);
  ::shmctl(id, IPC_RMID, nullptr);
  EXPECT_THAT(answers, ElementsAre("ENOENT"));
}

TEST_P(Leaks, MessageQueuesOfTheHost) {
  const std::string name = "mxc-" + token;
  const mode_t mask = ::umask(0);
  const long queue = ::syscall(SYS_mq_open, name.c_str(), O_RDWR | O_CREAT, 0666, nullptr);
  ::umask(mask);
  if (queue < 0) GTEST_SKIP() << "no message queues here";
  const auto answers = Try({}, {{"syscall", std::to_string(SYS_mq_open), "s:" + name, "2", "0", "0"}});
  ::close(static_cast<int>(queue));
  ::syscall(SYS_mq_unlink, name.c_str());
  EXPECT_THAT(answers, ElementsAre("ENOENT"));
}

TEST_P(Leaks, MessageQueuesAreItsOwn) {
  EXPECT_THAT(Try({}, {{"syscall", std::to_string(SYS_mq_open), "s:mxc", "0x42", "0x180", "0"},
                       {"syscall", std::to_string(SYS_mq_unlink), "s:mxc"}}),
              Each("ok"));
}

TEST_P(Leaks, KeyringOfTheLauncher) {
  constexpr long kJoinSession = 1;
  constexpr long kSetPermissions = 5;
  constexpr long kSessionKeyring = -3;
  const std::string text = token;
  const auto add_key = [text] {
    ::syscall(SYS_keyctl, kJoinSession, 0);
    const long key = ::syscall(SYS_add_key, "user", "mxc-test", text.data(), text.size(), kSessionKeyring);
    ::syscall(SYS_keyctl, kSetPermissions, key, 0x3f3f3f3f);
  };
  const Ended control =
      Execute({.program = guest, .arguments = {"key", "mxc-test", ";"}, .uid = uid, .before_exec = add_key});
  if (control.out == "ENOSYS\n" || control.out == "EPERM\n") GTEST_SKIP() << "no keyrings here";
  ASSERT_EQ(control.out, token + "\n") << "without a sandbox the key is to be seen";
  EXPECT_THAT(Try({}, {{"key", "mxc-test"}}, add_key), ElementsAre("EPERM"));
}

// A user's keys are listed to all processes of that user, whatever session keyring they have.
TEST_P(Leaks, TheListOfKeys) {
  if (::access("/proc/keys", R_OK) != 0) GTEST_SKIP() << "no list of keys here";
  EXPECT_THAT(Try({}, {{"read", "/proc/keys"}}), Each(AnyOf("ENOENT", "EACCES")));
}

TEST_P(Leaks, UnixSocketsOfTheHost) {
  const std::string name = "mxc-" + token.substr(4);
  Listener abstract = Listener::Abstract(name);
  const Listener unlisted = Listener::Unix(workspace.Directory("unlisted") + "/socket");
  const Listener denied = Listener::Unix(workspace.Directory("ro/den") + "/socket");
  EXPECT_THAT(Try({.read_only = {workspace.Path("ro")}, .denied = {workspace.Path("ro/den")}},
                  {{"connect", "abstract", name, "0", "x"},
                   {"connect", "unix", workspace.Path("unlisted/socket"), "0", "x"},
                   {"connect", "unix", workspace.Path("ro/den/socket"), "0", "x"}}),
              ElementsAre("ECONNREFUSED", "ENOENT", AnyOf("ENOENT", "EACCES")));
  EXPECT_FALSE(abstract.WasReached());
  EXPECT_FALSE(unlisted.WasReached());
  EXPECT_FALSE(denied.WasReached());
}

TEST_P(Leaks, ADeniedSocket) {
  const Listener listener = Listener::Unix(workspace.Directory("ro") + "/socket");
  EXPECT_THAT(Try({.read_only = {workspace.Path("ro")}, .denied = {workspace.Path("ro/socket")}},
                  {{"connect", "unix", workspace.Path("ro/socket"), "0", "x"}}),
              Each(AnyOf("EACCES", "ECONNREFUSED", "ENOENT")));
  EXPECT_FALSE(listener.WasReached());
}

TEST_P(Leaks, TheKernelsLogAndAddresses) {
  const auto answers =
      Try({}, {{"open", "/dev/kmsg", "r"}, {"open", "/proc/kmsg", "r"}, {"open", "/proc/kcore", "r"}});
  EXPECT_THAT(answers, Each(AnyOf("ENOENT", "EACCES", "EPERM")));
}

// 1 keeps the memory of what crashes from the program that core_pattern names, 0 does not; nobody changes it.
// A socket that it names gets a core of headers.
TEST_P(Leaks, CoresOfTheCommand) {
  EXPECT_EQ(RunConfig({.command = "cat /proc/self/coredump_filter"}).out, "00000000\n");
  const Ended ended = RunConfig({.command = "ulimit -S -c 0; ulimit -H -c 0; grep core /proc/self/limits"});
  EXPECT_THAT(ended.out, testing::MatchesRegex("Max core file size +1 +1 +bytes *\n")) << ended.err;
}

TEST_P(Leaks, TheConfigurationOfTheRun) {
  EXPECT_THAT(Try({}, {{"find", "config.", "json"}}), ElementsAre("none"));
  EXPECT_THAT(Try({}, {{"read", workspace.Path("config.json")}}), ElementsAre("ENOENT"));
}

}  // namespace
}  // namespace mxc::test::leaks_test
