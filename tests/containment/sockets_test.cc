// Sockets of the host's programs in what a policy grants, and those that the command makes there.

#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include "tests/containment/containment.h"
#include "tests/support/listener.h"

namespace mxc::test::sockets_test {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Stands in the namespaces of this one until it goes out of scope.
class ChildProcess {
 public:
  ChildProcess() : pid_(::fork()) {
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) ::pause();
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_;
};

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

// A process of the other namespace lives, as in a container: however deep the socket stands.
TEST_P(HostSockets, OfAnotherNetworkNamespaceBehindManyDirectories) {
  if (::geteuid() != 0) GTEST_SKIP() << "a network namespace needs root";
  const std::string rw = workspace.Directory("rw");
  for (int i = 0; i < 200; ++i) workspace.Directory("rw/a" + std::to_string(i));
  const std::string deep = workspace.Directory("rw/z/run");
  std::optional<Listener> listener;
  std::optional<ChildProcess> inhabitant;
  {
    const PrivateNetwork other({"192.0.2.1"});
    listener = Listener::Unix(deep + "/socket");
    inhabitant.emplace();
  }
  EXPECT_THAT(Try({.read_write = {rw}}, {Connect(deep + "/socket")}), ElementsAre("ECONNREFUSED"));
  EXPECT_FALSE(listener->WasReached());
}

// Of the caller's: the command, who owns it, may change its mode and enter.
TEST_P(HostSockets, InADirectoryThatMayBeListedButNotEntered) {
  const std::string rw = workspace.Directory("rw");
  const std::string closed = workspace.Directory("rw/closed");
  const std::string here = std::filesystem::current_path();
  std::filesystem::current_path(closed);
  const Listener listener = Listener::Unix("socket");
  std::filesystem::current_path(here);
  std::filesystem::rename(closed + "/socket", closed + "/renamed");
  ASSERT_EQ(::chmod(closed.c_str(), 0400), 0);
  EXPECT_THAT(Try({.read_write = {rw}}, {{"chmod", closed, "700"}, Connect(closed + "/renamed")}).back(),
              AnyOf("ECONNREFUSED", "EACCES", "ENOENT"));
  EXPECT_FALSE(listener.WasReached());
  ASSERT_EQ(::chmod(closed.c_str(), 0700), 0);
}

// Another user's directory that this one may pass through and not list, or the caller's own.
TEST_P(HostSockets, InDirectoriesThatCannotBeListed) {
  const std::string rw = workspace.Directory("rw");
  const std::string closed = workspace.Directory("rw/closed");
  std::vector<Listener> listeners;
  const std::string here = std::filesystem::current_path();
  std::filesystem::current_path(closed);
  for (const char* name : {"relative", "renamed", "linked"}) listeners.push_back(Listener::Unix(name));
  std::filesystem::rename("renamed", "r");
  std::filesystem::create_hard_link("linked", "l");
  std::filesystem::current_path(here);
  for (const uid_t owner : {uid, static_cast<uid_t>(0)}) {
    ASSERT_EQ(::chown(closed.c_str(), owner, owner), 0);
    ASSERT_EQ(::chmod(closed.c_str(), 0311), 0);
    for (const std::string& answer :
         Try({.read_write = {rw}}, {Connect(closed + "/relative"), Connect(closed + "/r"),
                                    Connect(closed + "/linked"), Connect(closed + "/l")}))
      EXPECT_THAT(answer, AnyOf("ECONNREFUSED", "EACCES", "ENOENT"));
  }
  for (const Listener& listener : listeners) EXPECT_FALSE(listener.WasReached());
  ASSERT_EQ(::chmod(closed.c_str(), 0755), 0);
}

TEST_P(HostSockets, BelowNamesThatAreTooLong) {
  const std::string rw = workspace.Directory("rw");
  const std::string here = std::filesystem::current_path();
  const std::string part(250, 'd');
  std::filesystem::current_path(rw);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(::mkdir(part.c_str(), 0777), 0);
    ASSERT_EQ(::chmod(part.c_str(), 0777), 0);
    ASSERT_EQ(::chdir(part.c_str()), 0);
  }
  const Listener listener = Listener::Unix("socket");
  std::filesystem::current_path(here);
  const std::string client = workspace.File("rw/client.py",
                                            "import os, socket\n"
                                            "os.chdir('" +
                                                rw +
                                                "')\n"
                                                "try:\n"
                                                "  for i in range(20): os.chdir('" +
                                                part +
                                                "')\n"
                                                "  socket.socket(socket.AF_UNIX).connect('socket')\n"
                                                "  print('connected')\n"
                                                "except OSError: print('refused')\n");
  const Ended ended = RunConfig({.command = "python3 " + client, .read_write = {rw}});
  EXPECT_EQ(ended.out, "refused\n") << ended.err;
  EXPECT_FALSE(listener.WasReached());
  std::filesystem::remove_all(rw + "/" + part);
}

// The path of a directory is one that a system call takes, and an engine's own for it is not.
TEST_P(HostSockets, BelowANameOfNearlyTheLongest) {
  constexpr std::size_t kLongest = 4092;
  const std::string top = workspace.Directory("top");
  const std::string here = std::filesystem::current_path();
  std::string path = top;
  std::vector<std::string> parts;
  std::filesystem::current_path(top);
  while (path.size() < kLongest) {
    const std::size_t left = kLongest - path.size() - 1;
    parts.emplace_back(left > 250 ? std::min<std::size_t>(250, left - 2) : left, 'd');
    path += "/" + parts.back();
    ASSERT_EQ(::mkdir(parts.back().c_str(), 0777), 0);
    ASSERT_EQ(::chdir(parts.back().c_str()), 0);
  }
  ASSERT_EQ(path.size(), kLongest);
  ASSERT_EQ(::mkdir("beyond", 0777), 0);
  const Listener listener = Listener::Unix("beyond/socket");
  std::filesystem::current_path(here);
  std::string client = "import os, socket\nos.chdir('" + top + "')\ntry:\n";
  for (const std::string& part : parts) client += "  os.chdir('" + part + "')\n";
  client +=
      "  socket.socket(socket.AF_UNIX).connect('beyond/socket')\n"
      "  print('connected')\n"
      "except OSError: print('refused')\n";
  const std::string file = workspace.File("top/client.py", client);
  for (const bool writes : {false, true}) {
    const std::vector<std::string> grant = {top};
    Parts policy{.command = "python3 " + file};
    (writes ? policy.read_write : policy.read_only) = grant;
    const Ended ended = RunConfig(policy);
    EXPECT_EQ(ended.out, "refused\n") << ended.err;
  }
  EXPECT_FALSE(listener.WasReached());
  std::filesystem::remove_all(top + "/" + parts.front());
}

// A directory, and a single file as container engines mount it; of this network namespace and of another.
TEST_P(HostSockets, UnderTheNamesThatMountsGiveThem) {
  if (::geteuid() != 0) GTEST_SKIP() << "mounting needs root";
  const std::string rw = workspace.Directory("rw");
  const std::string one = workspace.File("rw/one.sock", "");
  const std::string other = workspace.File("rw/other.sock", "");
  const std::string whole = workspace.Directory("rw/whole");
  const std::string outside = workspace.Directory("outside");
  const Listener own = Listener::Unix(outside + "/own");
  std::optional<Listener> foreign;
  {
    const PrivateNetwork network({"192.0.2.1"});
    foreign = Listener::Unix(outside + "/foreign");
  }
  const auto mount = [&] {
    const auto bind = [](const std::string& source, const std::string& target) {
      return ::mount(source.c_str(), target.c_str(), nullptr, MS_BIND, nullptr) == 0;
    };
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        !bind(outside + "/own", one) || !bind(outside + "/foreign", other) || !bind(outside, whole))
      std::_Exit(124);
  };
  const Words refused(3, "ECONNREFUSED");
  const std::vector<Words> tries = {Connect(one), Connect(other), Connect(whole + "/own")};
  EXPECT_EQ(Try({.read_write = {rw}}, tries, mount), refused);
  EXPECT_EQ(Try({.read_only = {rw}}, tries, mount), refused);
  EXPECT_FALSE(own.WasReached());
  EXPECT_FALSE(foreign->WasReached());
}

TEST_P(HostSockets, OfTheBaseline) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root writes there";
  const std::string path = "/etc/mxc-test-" + std::to_string(::getpid());
  const Listener listener = Listener::Unix(path);
  EXPECT_THAT(Try({}, {Connect(path)}), ElementsAre("ECONNREFUSED"));
  std::filesystem::remove(path);
  EXPECT_FALSE(listener.WasReached());
}

// The program that has bound it stands there.
TEST_P(HostSockets, OfTheBaselineBoundByARelativePath) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root writes there";
  if (uid != 0) GTEST_SKIP() << "where another user's program stands root alone learns";
  const std::string name = "mxc-test-relative-" + std::to_string(::getpid());
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path("/usr/share");
  const Listener listener = Listener::Unix(name);
  const ChildProcess program;
  std::filesystem::current_path(here);
  EXPECT_THAT(Try({}, {Connect("/usr/share/" + name)}), ElementsAre("ECONNREFUSED"));
  std::filesystem::remove("/usr/share/" + name);
  EXPECT_FALSE(listener.WasReached());
}

// What another user keeps from root's command stays closed when he opens it.
TEST_P(HostSockets, OfAClosedDirectoryThatIsOpened) {
  if (::geteuid() != 0 || uid != 0) GTEST_SKIP() << "for root's grants";
  const std::string rw = workspace.Directory("rw");
  const std::string closed = workspace.Directory("rw/closed");
  const Listener listener = Listener::Unix(closed + "/socket");
  ASSERT_EQ(::chown(closed.c_str(), 1, 1), 0);
  ASSERT_EQ(::chmod(closed.c_str(), 0700), 0);
  const std::string client =
      workspace.File("rw/client.py",
                     "import os, socket, sys, time\n"
                     "open(sys.argv[1] + '/began', 'w').close()\n"
                     "while not os.path.exists(sys.argv[1] + '/opened'): time.sleep(0.01)\n"
                     "try:\n"
                     "  socket.socket(socket.AF_UNIX).connect(sys.argv[1] + '/closed/socket')\n"
                     "  print('connected')\n"
                     "except OSError: print('refused')\n");
  std::thread owner([&] {
    while (!std::filesystem::exists(rw + "/began"))
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ::chmod(closed.c_str(), 0755);
    workspace.File("rw/opened", "");
  });
  const Ended ended = RunConfig({.command = "python3 " + client + " " + rw, .read_write = {rw}});
  owner.join();
  EXPECT_EQ(ended.out, "refused\n") << ended.err;
  EXPECT_FALSE(listener.WasReached());
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
  EXPECT_THAT(ended.out, HasSubstr("starts containers that mount any file of the host: this is root"))
      << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("/filesystem/sockets/0")) << ended.err;
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
}  // namespace mxc::test::sockets_test
