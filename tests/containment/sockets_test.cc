// Sockets of the host's programs in what a policy grants, and those that the command makes there.

#include <filesystem>
#include <optional>

#include "tests/containment/containment.h"
#include "tests/containment/listener.h"

namespace mxc::test {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;

class HostSockets : public ContainmentTest {
 protected:
  static Words Connect(const std::string& path) { return {"connect", "unix", path, "0", "x"}; }
};
MXC_FOR_EACH_CALLER_AND_ENGINE(HostSockets);

TEST_P(HostSockets, InAGrantAreDeniedUnlessNamed) {
  const std::string rw = workspace.Directory("rw");
  const std::string ro = workspace.Directory("ro");
  const Listener deep = Listener::Unix(workspace.Directory("rw/a/b") + "/socket");
  const Listener other = Listener::Unix(ro + "/socket");
  EXPECT_THAT(Try({.read_only = {ro}, .read_write = {rw}}, {Connect(rw + "/a/b/socket"),
                                                            Connect(ro + "/socket"),
                                                            {"unlink", rw + "/a/b/socket"},
                                                            {"rename", rw + "/a/b", rw + "/a/c"}}),
              ElementsAre("ECONNREFUSED", "ECONNREFUSED", "EBUSY", "EBUSY"));
  EXPECT_FALSE(deep.WasReached());
  EXPECT_FALSE(other.WasReached());
  EXPECT_THAT(Try({.read_only = {ro},
                   .read_write = {rw},
                   .filesystem = R"("sockets":[")" + rw + "/a/b/socket\",\"" + ro + "/socket\"]"},
                  {Connect(rw + "/a/b/socket"), Connect(ro + "/socket")}),
              ElementsAre("ok", "ok"));
  EXPECT_TRUE(deep.WasReached());
  EXPECT_TRUE(other.WasReached());
}

TEST_P(HostSockets, CanBeGrantedWithoutTheirDirectory) {
  const std::string directory = workspace.Directory("daemon");
  const Listener listener = Listener::Unix(directory + "/socket");
  const std::string beside = workspace.File("daemon/file", "x");
  EXPECT_THAT(Try({.filesystem = R"("sockets":[")" + directory + "/socket\"]"},
                  {Connect(directory + "/socket"), {"read", beside}}),
              ElementsAre("ok", AnyOf("ENOENT", "EACCES")));
  EXPECT_TRUE(listener.WasReached());
}

// Bound by a path that the kernel's list does not tell.
TEST_P(HostSockets, BoundByARelativePath) {
  const std::string rw = workspace.Directory("rw/deep/er");
  const std::string here = std::filesystem::current_path();
  std::filesystem::current_path(rw);
  const Listener listener = Listener::Unix("socket");
  std::filesystem::current_path(here);
  EXPECT_THAT(Try({.read_write = {workspace.Path("rw")}}, {Connect(rw + "/socket")}),
              ElementsAre("ECONNREFUSED"));
  EXPECT_FALSE(listener.WasReached());
}

TEST_P(HostSockets, OfAnotherNetworkNamespace) {
  if (::geteuid() != 0) GTEST_SKIP() << "a network namespace needs root";
  const std::string rw = workspace.Directory("rw");
  std::optional<Listener> listener;
  {
    const PrivateNetwork other({"192.0.2.1"});
    listener = Listener::Unix(rw + "/socket");
  }
  EXPECT_THAT(Try({.read_write = {rw}}, {Connect(rw + "/socket")}), ElementsAre("ECONNREFUSED"));
  EXPECT_FALSE(listener->WasReached());
}

// Also where an earlier run has left the file of a socket that nobody listens to any more.
TEST_P(HostSockets, OfTheCommandsOwnWork) {
  const std::string rw = workspace.Directory("rw");
  const std::string serve =
      "import os, socket, sys\n"
      "path = sys.argv[1] + '/own'\n"
      "if os.path.exists(path): os.unlink(path)\n"
      "s = socket.socket(socket.AF_UNIX); s.bind(path); s.listen()\n"
      "if os.fork() == 0:\n"
      "  c = socket.socket(socket.AF_UNIX); c.connect(path); c.send(b'x'); os._exit(0)\n"
      "print(s.accept()[0].recv(1).decode())\n";
  const std::string script = workspace.File("rw/serve.py", serve);
  for (int run = 0; run < 2; ++run) {
    const Ended ended = RunConfig({.command = "python3 " + script + " " + rw, .read_write = {rw}});
    EXPECT_EQ(ended.out, "x\n") << ended.err;
  }
}

// With the host's /tmp, and a server of tmux that is started before and after.
TEST_P(HostSockets, TmuxOfTheCallerIsOutOfReach) {
  if (::access("/usr/bin/tmux", X_OK) != 0) GTEST_SKIP() << "tmux is not installed";
  const std::string tmp = "/tmp/tmux-" + std::to_string(uid);
  const std::string mark = workspace.Path("typed");
  const std::string server = "mxc-test-" + std::to_string(::getpid());  // other tests run meanwhile
  const auto tmux = [&](const std::string& arguments) {
    return Execute({.program = "/bin/sh",
                    .arguments = {"-c", "unset TMUX; tmux -L " + server + " " + arguments},
                    .uid = uid});
  };
  ASSERT_EQ(tmux("new-session -d 'exec sh'").status, 0);
  const std::string type = "tmux -L " + server + " send-keys 'echo > " + mark + "' Enter";
  const Ended ended = RunConfig(
      {.command =
           type + " || echo refused; tmux -L own new-session -d 'exec sleep 9' && tmux -L own list-sessions",
       .filesystem = R"("temp":"shared","protect":[])"});
  tmux("kill-server");
  EXPECT_THAT(ended.out, HasSubstr("refused\n")) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("0: 1 windows")) << "its own tmux works: " << ended.err;
  EXPECT_FALSE(Contents(mark)) << "typed into a shell outside";
}

TEST_P(HostSockets, ExplainSaysWhatOneMeans) {
  const Listener listener = Listener::Unix(workspace.Directory("run") + "/docker.sock");
  const std::string path = workspace.Path("run/docker.sock");
  const Ended ended = Execute(PrepareConfig({.filesystem = R"("sockets":[")" + path + "\"]"}, {"--explain"}));
  EXPECT_THAT(ended.out, HasSubstr("starts containers that mount any file of the host: this is root"));
  EXPECT_THAT(ended.out, HasSubstr("/filesystem/sockets/0"));
}

TEST_P(HostSockets, OnlySocketsAreGrantedSo) {
  const std::string file = workspace.File("file", "x");
  const Ended ended = RunConfig({.filesystem = R"("sockets":[")" + file + "\"]"});
  EXPECT_EQ(ended.status, 255);
  EXPECT_THAT(EnvelopeMessage(ended), HasSubstr("is no socket"));
  EXPECT_THAT(RunConfig({.filesystem = R"("sockets":["$MXC_NO_SUCH"])"}).err,
              HasSubstr("'$MXC_NO_SUCH' of sockets is not set"));
  EXPECT_EQ(RunConfig({.filesystem = R"("sockets":["$a b"])"}).status, 1);
}

}  // namespace
}  // namespace mxc::test
