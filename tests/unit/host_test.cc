// The Host of this machine, in a directory of the test's own.
#include "host/host.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/process_tree.h"
#include "base/unique_fd.h"
#include "host/bound_sockets_linux.h"
#include "host/posix_host.h"
#include "mxc/limits.h"
#include "profiles/cache.h"
#include "read_request.h"
#include "tests/support/fake_host.h"
#include "tests/support/needs.h"
#include "tests/support/program.h"

namespace mxc::host_test {
namespace {

class ThisHostTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/mxc-host-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    directory_ = name;
    host_ = ThisHost();
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    std::filesystem::remove_all(directory_);
  }
  [[nodiscard]] std::string Write(const std::string& name, const std::string& contents) const {
    std::ofstream(directory_ + name) << contents;
    return directory_ + name;
  }

  std::string path_ = ::getenv("PATH") == nullptr ? "" : ::getenv("PATH");  // NOLINT: for the tests
  std::string directory_;                                                   // NOLINT: for the tests
  std::unique_ptr<Host> host_;                                              // NOLINT: for the tests
};

TEST_F(ThisHostTest, AFileOfAnImageIsReadInTheImage) {
  const std::string image = directory_ + "/image";
  std::filesystem::create_directories(image + "/etc");
  std::ofstream(directory_ + "/file") << "of the host";
  std::ofstream(image + "/own") << "of the image";
  const auto read = [&] {
    const Result<std::string> text = host_->ReadFileIn(image, "/etc/passwd", 6);
    return text ? *text : "none";
  };
  const std::string passwd = image + "/etc/passwd";
  EXPECT_EQ(read(), "none");
  for (const std::string& to :
       {directory_ + "/file", std::string("../../file"), std::string("../../../file")}) {
    std::filesystem::create_symlink(to, passwd);
    EXPECT_EQ(read(), "none") << to;
    std::filesystem::remove(passwd);
  }
  std::filesystem::create_symlink("/own", passwd);
  EXPECT_EQ(read(), "of the");
  std::filesystem::remove(passwd);
  std::filesystem::create_symlink("/proc/self/exe", passwd);
  EXPECT_EQ(read(), "none");
  std::filesystem::remove(passwd);
  ASSERT_EQ(::mkfifo(passwd.c_str(), 0600), 0);
  EXPECT_EQ(read(), "none") << "nobody waits for a writer";
}

// As inside a sandbox of ours, and under filters that know of no openat2.
bool RefuseOpenat2(int number) {
  sock_filter program[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},  // the number of the call
                           {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_openat2},
                           {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | static_cast<unsigned>(number)},
                           {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  const sock_fprog filter{std::size(program), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0UL, 0UL) == 0;
}

// Then no link is followed: none can lead out of the image.
TEST_F(ThisHostTest, WithoutOpenat2AFileOfAnImageIsReadInTheImage) {
  const std::string image = directory_ + "/image";
  std::filesystem::create_directories(image + "/etc");
  std::ofstream(directory_ + "/file") << "of the host";
  std::ofstream(image + "/etc/passwd") << "of the image";
  std::filesystem::create_symlink(directory_ + "/file", image + "/etc/out");
  std::filesystem::create_symlink("passwd", image + "/etc/link");
  std::filesystem::create_symlink("etc", image + "/dir");
  std::filesystem::create_symlink(directory_, image + "/above");
  ASSERT_EQ(::mkfifo((image + "/etc/fifo").c_str(), 0600), 0);
  for (const int number : {ENOSYS, EPERM}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (!RefuseOpenat2(number)) ::_exit(100);
      int wrong = 0;
      for (const char* path : {"/etc/passwd", "etc//passwd"}) {
        const Result<std::string> text = host_->ReadFileIn(image, path, 6);
        wrong += text && *text == "of the" ? 0 : 1;
      }
      for (const char* path : {"/etc/out", "/etc/link", "/dir/passwd", "/above/file", "/../file",
                               "/etc/../../file", "/etc/fifo", "/etc/none", "/etc", "/"})
        wrong += host_->ReadFileIn(image, path, 6) ? 1 : 0;
      ::_exit(wrong);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << number << ": " << WEXITSTATUS(status) << " are wrong";
  }
}

TEST_F(ThisHostTest, LooksWithoutFollowing) {
  const std::string file = Write("/file", "x");
  ASSERT_EQ(::symlink("file", (directory_ + "/link").c_str()), 0);
  ASSERT_EQ(::link(file.c_str(), (directory_ + "/hard").c_str()), 0);
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  const Lookup at_file = host_->LookAt(file);
  ASSERT_TRUE(at_file.status.has_value());
  EXPECT_EQ(at_file.status->object.type, FileType::kRegular);
  EXPECT_EQ(at_file.status->mode, 0640U);
  EXPECT_EQ(at_file.status->uid, ::getuid());
  EXPECT_EQ(at_file.status->links, 2U);
  EXPECT_EQ(host_->LookAt(directory_ + "/hard").status->object.inode, at_file.status->object.inode);
  EXPECT_EQ(host_->LookAt(directory_ + "/link").status->object.type, FileType::kSymlink);
  EXPECT_EQ(*host_->ReadLink(directory_ + "/link"), "file");
  EXPECT_FALSE(host_->ReadLink(file).ok());
}

TEST_F(ThisHostTest, ModesAreWhole) {
  if (const char* missing = test::MissingSetGroupId()) GTEST_SKIP() << missing;
  const std::string file = Write("/file", "x");
  ASSERT_EQ(::chmod(file.c_str(), 02640), 0);
  EXPECT_EQ(host_->LookAt(file).status->mode, 02640U);
}

TEST_F(ThisHostTest, SaysWhyItCannotLook) {
  const std::string file = Write("/file", "x");
  EXPECT_EQ(host_->LookAt(directory_ + "/gone").failure, LookupFailure::kMissing);
  EXPECT_EQ(host_->LookAt(file + "/below").failure, LookupFailure::kMissing);
  const Lookup too_long = host_->LookAt("/" + std::string(5000, 'a'));
  EXPECT_EQ(too_long.failure, LookupFailure::kOther);
  EXPECT_EQ(too_long.reason, "File name too long");
}

TEST_F(ThisHostTest, ReadsAtMostTheLimit) {
  const std::string file = Write("/file", std::string(10000, 'a') + "b");
  EXPECT_EQ(*host_->ReadFile(file, 5), "aaaaa");
  EXPECT_EQ(host_->ReadFile(file, 100000)->size(), 10001U);
  EXPECT_EQ(host_->ReadFile(directory_ + "/gone", 5).error().message,
            "open '" + directory_ + "/gone': No such file or directory");
}

TEST_F(ThisHostTest, DoesNotWaitForAWriterOfAPipe) {
  ASSERT_EQ(::mkfifo((directory_ + "/fifo").c_str(), 0600), 0);
  EXPECT_EQ(*host_->ReadFile(directory_ + "/fifo", 5), "");
}

TEST_F(ThisHostTest, ListsInOrder) {
  static_cast<void>(Write("/link", ""));
  static_cast<void>(Write("/file", ""));
  EXPECT_EQ(*host_->ListDirectory(directory_), (std::vector<std::string>{"file", "link"}));
  EXPECT_FALSE(host_->ListDirectory(directory_ + "/file").ok());
}

TEST_F(ThisHostTest, KnowsItsSurroundings) {
  EXPECT_EQ(host_->System(), OperatingSystem::kLinux);
  EXPECT_EQ(host_->Caller().uid, ::getuid());
  EXPECT_EQ(host_->WorkingDirectory(), std::filesystem::current_path());
  ASSERT_EQ(::setenv("MXC_HOST_TEST", "a=b", 1), 0);
  EXPECT_EQ(host_->Environment("MXC_HOST_TEST"), "a=b");
  EXPECT_EQ(host_->Environment("MXC_HOST_TEST_NONE"), std::nullopt);
  EXPECT_TRUE(host_->MayAccess(directory_, Access::kReadWrite));
  EXPECT_FALSE(host_->MayAccess(directory_ + "/gone", Access::kReadOnly));
}

TEST_F(ThisHostTest, KnowsWhatMayBeExecuted) {
  const std::string file = Write("/file", "x");
  EXPECT_FALSE(host_->MayExecute(file));
  ASSERT_EQ(::chmod(file.c_str(), 0755), 0);
  EXPECT_TRUE(host_->MayExecute(file));
  EXPECT_FALSE(host_->MayExecute(directory_ + "/gone"));
}

TEST_F(ThisHostTest, FindsToolsOfTheSystemOnly) {
  ASSERT_EQ(::setenv("PATH", directory_.c_str(), 1), 0);
  const std::string tool = Write("/tool-of-the-test", "#!/bin/sh\n");
  ASSERT_EQ(::chmod(tool.c_str(), 0755), 0);
  EXPECT_EQ(host_->FindTool("tool-of-the-test"), std::nullopt);
  EXPECT_EQ(host_->FindTool("../.." + tool), std::nullopt);
  EXPECT_EQ(host_->FindTool(""), std::nullopt);
  EXPECT_FALSE(OnlyRootCanReplace(*host_, tool));  // /tmp is everybody's
}

TEST_F(ThisHostTest, FindsToolsThatAreRoots) {
  struct stat status {};
  ::stat("/usr/bin/sh", &status);
  if (status.st_uid != 0)
    GTEST_SKIP() << "needs to see root's files as root's; its user namespace has no root";
  ASSERT_EQ(::setenv("PATH", directory_.c_str(), 1), 0);
  EXPECT_EQ(host_->FindTool("sh"), "/usr/bin/sh");
}

TEST(OnlyRootCanReplace, EveryStepCounts) {
  FakeHost host;
  host.AddFile("/usr/bin/good").AddSymlink("/bin", "usr/bin").AddSymlink("/usr/bin/link", "../lib/x/good");
  host.AddFile("/usr/lib/x/good").AddFile("/usr/bin/open", "", {.mode = 0775});
  host.AddFile("/usr/bin/theirs", "", {.uid = 1000}).AddFile("/usr/bin/text", "", {.mode = 0644});
  host.AddDirectory("/usr/shared", {.mode = 01777}).AddFile("/usr/shared/tool");
  host.AddSymlink("/usr/bin/out", "/usr/shared/tool").AddSymlink("/usr/bin/loop", "loop");
  host.AddDirectory("/usr/staff", {.mode = 02775}).AddFile("/usr/staff/tool");
  for (const char* path : {"/usr/bin/good", "/bin/good", "/bin/link", "/bin/../bin/./good"}) {
    EXPECT_TRUE(OnlyRootCanReplace(host, path)) << path;
  }
  for (const char* path : {"/usr/bin/open", "/usr/bin/theirs", "/usr/bin/text", "/usr/shared/tool",
                           "/usr/bin/out", "/usr/bin/loop", "/usr/bin/gone", "/usr/bin", "/usr/staff/tool"}) {
    EXPECT_FALSE(OnlyRootCanReplace(host, path)) << path;
  }
}

class TryTest : public testing::Test {
 protected:
  static ToolRun Shell(const std::string& script, std::uint32_t limit_ms = 20000) {
    return RunTool({"/bin/sh", "-c", script}, limit_ms);
  }
};

TEST_F(TryTest, SeparatesStreamsAndReturnsTheStatus) {
  const ToolRun run = Shell("echo out; echo err >&2; exit 7");
  EXPECT_TRUE(run.started);
  EXPECT_FALSE(run.timed_out);
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_EQ(run.out, "out\n");
  EXPECT_EQ(run.err, "err\n");
  EXPECT_EQ(Shell("kill -TERM $$").exit_code, 128 + SIGTERM);
}

TEST_F(TryTest, GivesNothingOfOurs) {
  ASSERT_EQ(::setenv("MXC_HOST_TEST_SECRET", "canary", 1), 0);
  const int leaked =
      ::open("/dev/null", O_RDONLY);  // NOLINT(android-cloexec-open): what a caller might leave
  ASSERT_GT(leaked, 2);
  EXPECT_EQ(RunTool({"/usr/bin/env"}, 20000).out, "");
  EXPECT_EQ(RunTool({"/bin/cat"}, 20000).out, "");  // its input ends at once
  EXPECT_EQ(Shell("pwd").out, "/\n");
  EXPECT_EQ(Shell("test -e /proc/self/fd/" + std::to_string(leaked) + " && echo open").out, "");
  ::close(leaked);
}

TEST_F(TryTest, BoundsTheOutputWithoutBlockingTheTool) {
  const ToolRun run = Shell("head -c 1000000 /dev/zero; echo done >&2");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out.size(), 65536U);
  EXPECT_EQ(run.err, "done\n");
}

TEST_F(TryTest, EndsWhatTakesTooLong) {
  const ToolRun run = Shell("echo before; exec sleep 1000", 300);
  EXPECT_TRUE(run.started);
  EXPECT_TRUE(run.timed_out);
  EXPECT_EQ(run.exit_code, 128 + SIGKILL);
  EXPECT_EQ(run.out, "before\n");
}

TEST_F(TryTest, LeavesNoGrandchildBehind) {
  const ToolRun run = Shell("sleep 1000 & echo $!");
  EXPECT_EQ(run.exit_code, 0);
  const int grandchild = std::stoi(run.out);
  // It is dead or about to be buried by whoever adopted it; waiting for that is all there is to do.
  std::string status;
  EXPECT_TRUE(test::Eventually([&] {
    status = ProcessText(grandchild, "stat");
    return status.empty() || status.find(") Z ") != std::string::npos ||
           status.find(") X ") != std::string::npos;
  })) << status;
}

// A killed launcher ends nothing itself. The tool alone has the pipe open to write.
TEST_F(TryTest, AToolDiesWithItsLauncher) {
  char directory[] = "/tmp/mxc-tool-XXXXXX";
  ASSERT_NE(::mkdtemp(directory), nullptr);
  const std::string pipe = std::string(directory) + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const pid_t launcher = ::fork();
  ASSERT_GE(launcher, 0);
  if (launcher == 0) {
    const ToolRun run = Shell("exec > " + pipe + "; echo up; exec sleep 1000", 60000);
    ::_exit(run.started ? 1 : 2);
  }
  const UniqueFd reading{::open(pipe.c_str(), O_RDONLY | O_CLOEXEC)};
  std::array<char, 8> text{};
  EXPECT_EQ(::read(reading.Get(), text.data(), text.size()), 3);
  ASSERT_EQ(::kill(launcher, SIGKILL), 0);
  ASSERT_EQ(::waitpid(launcher, nullptr, 0), launcher);
  pollfd ended{.fd = reading.Get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&ended, 1, 20000), 1) << "the tool goes on";
  EXPECT_EQ(::read(reading.Get(), text.data(), ended.revents != 0 ? text.size() : 0), 0);
  std::filesystem::remove_all(directory);
}

TEST_F(TryTest, SaysWhenNothingWasStarted) {
  EXPECT_FALSE(RunTool({"/nonexistent/tool"}, 1000).started);
  EXPECT_FALSE(RunTool({"sh"}, 1000).started);
  EXPECT_FALSE(RunTool({}, 1000).started);
}

TEST(ClosedFiles, AreWhatOthersMayNotRead) {
  char name[] = "/tmp/mxc-closed-XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  const std::string top = name;
  const auto directory = [&](const std::string& path, mode_t mode) {
    ASSERT_EQ(::mkdir((top + path).c_str(), 0700), 0);
    ASSERT_EQ(::chmod((top + path).c_str(), mode), 0);
  };
  const auto file = [&](const std::string& path, mode_t mode) {
    std::ofstream(top + path) << "x";
    ASSERT_EQ(::chmod((top + path).c_str(), mode), 0);
  };
  ASSERT_EQ(::chmod(name, 0755), 0);
  for (const char* open : {"/a", "/a/b", "/a/b/c", "/public"}) directory(open, 0755);
  file("/public/file", 0644);
  file("/secret", 0600);
  file("/a/b/c/group", 0640);
  file("/a/others", 0604);
  file("/a/write", 0622);
  directory("/listed", 0754);
  directory("/searched", 0711);
  directory("/closed", 0750);
  file("/closed/inside", 0644);
  ASSERT_EQ(::symlink("../secret", (top + "/a/link").c_str()), 0);
  EXPECT_THAT(ThisHost()->ListClosed(top),
              testing::UnorderedElementsAre(top + "/secret", top + "/a/b/c/group", top + "/a/write",
                                            top + "/listed", top + "/searched", top + "/closed"));
  EXPECT_THAT(ThisHost()->ListClosed(top + "/none"), testing::IsEmpty());
  std::filesystem::remove_all(top);
}

class LiveSockets : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/mxc-sockets-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    top_ = std::filesystem::canonical(name);
  }
  void TearDown() override { std::filesystem::remove_all(top_); }
  void Bind(const std::string& path, int type = SOCK_STREAM) {
    sockets_.emplace_back(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const auto* plain = reinterpret_cast<const sockaddr*>(&address);
    ASSERT_EQ(::bind(sockets_.back().Get(), plain, sizeof address), 0) << path;
  }
  void BindRelative(const std::string& directory, const std::string& name) {
    const std::filesystem::path here = std::filesystem::current_path();
    std::filesystem::current_path(directory);
    Bind(name);
    std::filesystem::current_path(here);
  }
  // Below the directory of this test: the machine has others.
  [[nodiscard]] std::string FoundIn(const SocketPlaces& places) const {
    std::string text;
    for (const std::string& path : ThisHost()->LiveSockets(places))
      if (path.starts_with(top_)) text += path.substr(top_.size()) + " ";
    return text;
  }
  [[nodiscard]] std::string Found(const std::vector<std::string>& directories,
                                  const std::vector<std::string>& skipped = {}) const {
    return FoundIn({.directories = directories, .skipped = skipped});
  }
  // Enters directories in each other whose path is too long. Returns the longest that is searched.
  [[nodiscard]] std::string EnterTooDeep() const {
    std::string path = top_;
    std::filesystem::current_path(top_);
    for (int i = 0; i < 25; ++i) {
      std::filesystem::create_directory(kPart);
      std::filesystem::current_path(kPart);
      if (path.size() + kPart.size() + 1 <= kMaxSearchedPath) path += "/" + kPart;
    }
    return path;
  }

  const std::string kPart = std::string(200, 'd');
  std::string top_;
  std::vector<UniqueFd> sockets_;
};

// Bound by whole and by relative paths, of each type; one that nobody has bound any more is none.
TEST_F(LiveSockets, AreThoseThatAProcessHasBound) {
  std::filesystem::create_directories(top_ + "/a/b");
  Bind(top_ + "/stream");
  ASSERT_EQ(::listen(sockets_.back().Get(), 1), 0);
  Bind(top_ + "/a/b/datagram", SOCK_DGRAM);
  Bind(top_ + "/a/../a/packet", SOCK_SEQPACKET);
  EXPECT_EQ(Found({}), "/a/b/datagram /a/packet /stream ") << "the kernel lists them";
  BindRelative(top_ + "/a", "relative");
  Bind(top_ + "/dead");
  sockets_.pop_back();
  EXPECT_EQ(Found({top_}), "/a/b/datagram /a/packet /a/relative /stream ");
  const std::string told = ::geteuid() == 0 ? "/a/relative " : "";  // by the kernel, like the others
  EXPECT_EQ(Found({top_}, {top_ + "/a"}), "/a/b/datagram /a/packet " + told + "/stream ");
  EXPECT_EQ(Found({top_, top_ + "/a"}), "/a/b/datagram /a/packet /a/relative /stream ");
  pollfd poll{sockets_.front().Get(), POLLIN, 0};
  EXPECT_EQ(::poll(&poll, 1, 0), 0) << "the server has seen the question";
}

// As long as a process stands where it was bound, no directory is searched for it.
TEST_F(LiveSockets, BoundWhereAProcessStands) {
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::create_directories(top_ + "/a/b");
  std::filesystem::current_path(top_ + "/a");
  Bind("b/socket");
  EXPECT_EQ(Found({}), "/a/b/socket ");
  std::filesystem::rename(top_ + "/a/b/socket", top_ + "/a/b/moved");
  EXPECT_EQ(Found({}), "");
  EXPECT_EQ(Found({top_}), "/a/b/moved ");
  std::filesystem::current_path(here);
}

// However many directories stand before it.
TEST_F(LiveSockets, AreFoundWhereTheyWereMoved) {
  for (int i = 0; i < 300; ++i)
    std::filesystem::create_directories(top_ + "/many/" + std::to_string(i) + "/x");
  std::filesystem::create_directories(top_ + "/deep/er/still");
  Bind(top_ + "/bound");
  std::filesystem::rename(top_ + "/bound", top_ + "/deep/er/still/renamed");
  EXPECT_EQ(Found({top_}), "/deep/er/still/renamed ");
  Bind(top_ + "/linked");
  ASSERT_EQ(::link((top_ + "/linked").c_str(), (top_ + "/deep/er/link").c_str()), 0);
  EXPECT_EQ(Found({top_}), "/deep/er/link /deep/er/still/renamed /linked ");
}

// A persistent sandbox binds its socket so; what it is called here must not lead to a search of all files.
TEST_F(LiveSockets, BoundThroughADescriptor) {
  std::filesystem::create_directories(top_ + "/own");
  std::filesystem::create_directories(top_ + "/grant/below");
  const UniqueFd own{::open((top_ + "/own").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  Bind("/proc/self/fd/" + std::to_string(own.Get()) + "/sandbox");
  EXPECT_THAT(ThisHost()->LiveSockets({.directories = {top_ + "/grant"}, .own = {top_ + "/own"}}),
              testing::Contains(top_ + "/own/sandbox"));
  std::filesystem::rename(top_ + "/own/sandbox", top_ + "/grant/below/moved");
  EXPECT_THAT(ThisHost()->LiveSockets({.directories = {top_ + "/grant"}, .own = {top_ + "/own"}}),
              testing::Contains(top_ + "/grant/below/moved"));
}

TEST_F(LiveSockets, MayBeWhereNobodyCanLook) {
  if (::geteuid() == 0) GTEST_SKIP() << "root can list every directory";
  std::filesystem::create_directories(top_ + "/closed");
  ASSERT_EQ(::chmod((top_ + "/closed").c_str(), 0300), 0);
  BindRelative(top_ + "/closed", "relative");
  EXPECT_EQ(Found({top_}), "/closed ");
  ASSERT_EQ(::chmod((top_ + "/closed").c_str(), 0700), 0);
  EXPECT_EQ(Found({top_}), "/closed/relative ");
}

TEST_F(LiveSockets, BelowNamesThatAreTooLong) {
  const std::filesystem::path here = std::filesystem::current_path();
  const std::string path = EnterTooDeep();
  Bind("socket");
  std::filesystem::current_path(here);
  EXPECT_EQ(Found({top_}), path.substr(top_.size()) + " ") << "the last that is searched";
}

// What nothing tells of any more denies what cannot be searched for it; root is told that it has no name.
TEST_F(LiveSockets, WithoutANameAreNotLookedForByRoot) {
  const std::filesystem::path here = std::filesystem::current_path();
  const std::string path = EnterTooDeep();
  std::filesystem::current_path(here);
  Bind(top_ + "/gone");
  std::filesystem::remove(top_ + "/gone");
  Bind(top_ + "/moved");
  std::filesystem::rename(top_ + "/moved", top_ + "/away");
  if (::geteuid() == 0) {
    // A socket of another process, closed while it is looked at, is searched for like one without a name.
    std::string found;
    EXPECT_TRUE(test::Eventually([&] { return (found = Found({top_})) == "/away "; })) << found;
  } else {
    EXPECT_EQ(Found({top_}), "/away " + path.substr(top_.size()) + " ");
  }
}

// Beyond the first that are looked at: from "/" only the file system of what is sought is searched.
TEST_F(LiveSockets, OfTheWholeHostAreFoundWhereTheyWereMoved) {
  for (int i = 0; i < 300; ++i) std::filesystem::create_directories(top_ + "/many/" + std::to_string(i));
  std::filesystem::create_directories(top_ + "/many/1/deep/er");
  Bind(top_ + "/bound");
  ASSERT_EQ(::link((top_ + "/bound").c_str(), (top_ + "/many/1/deep/er/link").c_str()), 0);
  EXPECT_EQ(FoundIn({.whole_host = {top_}}), "/bound /many/1/deep/er/link ");
}

TEST(SocketList, AsTheKernelWritesIt) {
  const std::string heading = "Num       RefCount Protocol Flags    Type St Inode Path\n";
  const std::string line = "00000000703bcc66: 00000002 00000000 00010000 0001 01  1598";
  EXPECT_FALSE(ListsPaths(heading));
  EXPECT_FALSE(ListsPaths(heading + line + "\n"));
  EXPECT_FALSE(ListsPaths(heading + line + " @abstract\n"));
  EXPECT_TRUE(ListsPaths(heading + line + " @abstract\n" + line + " /run/a b\n"));
  EXPECT_TRUE(ListsPaths(heading + line + " relative\n"));
  EXPECT_FALSE(ListsPaths(""));
}

TEST_F(ThisHostTest, KnowsByWhichPathItWasStarted) {
  const std::optional<std::string> called = host_->CalledAs();
  ASSERT_TRUE(called);
  EXPECT_TRUE(std::filesystem::equivalent(*called, "/proc/self/exe"));
}

// The next call reads it again: it is held like one that is named.
TEST_F(ThisHostTest, KnowsTheFileBehindADescriptorOfThePolicy) {
  const std::string path = directory_ + "/policy.json";
  const UniqueFd policy{::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)};
  ASSERT_TRUE(policy);
  EXPECT_EQ(PolicyFileOf({.config_fd = policy.Get()}, *host_), path);
  EXPECT_EQ(PolicyFileOf({.config_path = path}, *host_), path);
  for (const std::string named : {"/dev/fd/", "/proc/self/fd/"})
    EXPECT_EQ(PolicyFileOf({.config_path = named + std::to_string(policy.Get())}, *host_), path);
  EXPECT_EQ(PolicyFileOf({.config_path = "/proc/self/fd/x"}, *host_), "/proc/self/fd/x");
  ASSERT_EQ(::unlink(path.c_str()), 0);
  EXPECT_EQ(PolicyFileOf({.config_fd = policy.Get()}, *host_), "");
  const UniqueFd device{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  EXPECT_EQ(PolicyFileOf({.config_fd = device.Get()}, *host_), "");
}

TEST_F(ThisHostTest, PutsBackTheModeOfACache) {
  namespace fs = std::filesystem;
  const std::string above = directory_ + "/caches";
  const std::string cache = above + "/npm";
  ASSERT_TRUE(MakeCacheDirectory(cache));
  EXPECT_EQ(fs::status(cache).permissions(), fs::perms::owner_all);
  for (const mode_t mode : {0777U, 0U}) {
    ASSERT_EQ(::chmod(cache.c_str(), mode), 0);
    ASSERT_TRUE(MakeCacheDirectory(cache));
    EXPECT_EQ(fs::status(cache).permissions(), fs::perms::owner_all);
  }
  // Somebody may have come by here.
  ASSERT_EQ(::chmod(above.c_str(), 0711), 0);
  ASSERT_EQ(::chmod(cache.c_str(), 0777), 0);
  ASSERT_TRUE(MakeCacheDirectory(cache));
  EXPECT_EQ(fs::status(cache).permissions(), fs::perms::all);
}

}  // namespace
}  // namespace mxc::host_test
