// Containers that show an image: where it is found, how it is unpacked, and what the policy is inside.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>

#include "base/unique_fd.h"
#include "tests/support/engines.h"
#include "tests/support/launcher_test.h"
#include "tests/support/listener.h"

namespace mxc::test::lxc_image_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

#if defined(__aarch64__)
constexpr const char* kArchitecture = "arm64";
#else
constexpr const char* kArchitecture = "amd64";
#endif

// What the caller's images are below: root's places are the system's, and hidden for the runs of a test; a
// user's are in its home directory.
class LxcImage : public LauncherTest {
 protected:
  void SetUp() override {
    LauncherTest::SetUp();
    if (IsSkipped()) return;
    if (!HasLxc()) GTEST_SKIP() << kNoLxc;
    if (::access("/usr/bin/dash", X_OK) != 0 || ::access("/lib64/ld-linux-x86-64.so.2", R_OK) != 0)
      GTEST_SKIP() << "the images are made of dash and of the loader of x86-64";
    for (const std::string& place : {Directories(), Archives(), Unpacked()}) workspace.Directory(place);
  }

  [[nodiscard]] bool IsRoot() const { return uid == 0; }
  [[nodiscard]] std::string Directories() const {
    return IsRoot() ? "lib/mxc-exec/images" : ".local/share/mxc-exec/images";
  }
  [[nodiscard]] std::string Archives() const {
    return IsRoot() ? "cache/lxc/download" : ".cache/lxc/download";
  }
  [[nodiscard]] std::string Unpacked() const {
    return IsRoot() ? "cache/mxc-exec/images" : ".cache/mxc-exec/images";
  }

  // A root file system below `name` of the workspace: a shell, and `cat`.
  std::string MakeTree(const std::string& name) const {
    for (const char* program : {"bin/dash", "bin/cat"})
      workspace.CopyOf("/usr/" + std::string(program), name + "/usr/" + program);
    workspace.CopyOf("/lib64/ld-linux-x86-64.so.2", name + "/usr/lib64/ld-linux-x86-64.so.2");
    workspace.CopyOf("/lib/x86_64-linux-gnu/libc.so.6", name + "/usr/lib/x86_64-linux-gnu/libc.so.6");
    workspace.Link(name + "/usr/bin/sh", "dash");
    for (const char* link : {"bin", "lib", "lib64"})
      workspace.Link(name + "/" + link, std::string("usr/") + link);
    workspace.File(name + "/etc/marker", "image\n");
    workspace.Directory(name + "/var/empty");
    return workspace.Path(name);
  }
  // The same as LXC's cache has it, packed quickly; `before` changes the tree. False: tar or xz is missing.
  [[nodiscard]] bool MakeArchive(const std::function<void(const std::string&)>& before = {}) const {
    const std::string tree = MakeTree("tree-" + Token());
    if (before) before(tree);
    const std::string place = workspace.Directory(Archives() + "/tiny/1/" + kArchitecture + "/default");
    const Ended packed =
        Execute({.program = "/bin/tar",
                 .arguments = {"-C", tree, "-I", "xz -0", "-cf", place + "/rootfs.tar.xz", "."}});
    return packed.status == 0;
  }

  [[nodiscard]] Launch LaunchOf(Parts parts, std::vector<std::string> flags = {}) const {
    parts.containment = "lxc";
    parts.more =
        R"("lxc":{"distribution":"tiny","release":"1"})" + (parts.more.empty() ? "" : "," + parts.more);
    Launch launch = PrepareConfig(parts, std::move(flags));
    launch.deadline = std::chrono::seconds{60};
    for (std::string& variable : launch.environment) {
      if (variable.starts_with("HOME=")) variable = "HOME=" + workspace.Root();
    }
    if (!IsRoot()) return launch;
    launch.before_exec = [lib = workspace.Path("lib"), cache = workspace.Path("cache")] {
      const bool hidden = ::unshare(CLONE_NEWNS) == 0 &&
                          ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                          ::mount(lib.c_str(), "/var/lib", nullptr, MS_BIND, nullptr) == 0 &&
                          ::mount(cache.c_str(), "/var/cache", nullptr, MS_BIND, nullptr) == 0;
      if (!hidden) ::_exit(99);
    };
    return launch;
  }
  [[nodiscard]] Ended InImage(const Parts& parts) const { return Execute(LaunchOf(parts)); }
  [[nodiscard]] std::vector<std::string> UnpackedTrees() const {
    return Names(workspace.Path(Unpacked() + "/tiny/1"));
  }
};
MXC_FOR_EACH_CALLER(LxcImage);

TEST_P(LxcImage, IsTheRootOfTheCommand) {
  MakeTree(Directories() + "/tiny/1");
  const Ended ended = InImage({.command = "cat /etc/marker; echo /*; echo /usr/bin/*; pwd"});
  EXPECT_THAT(Lines(ended.out), ElementsAre("image", "/bin /dev /etc /lib /lib64 /proc /tmp /usr /var",
                                            "/usr/bin/cat /usr/bin/dash /usr/bin/sh", "/"))
      << ended.err;
  EXPECT_EQ(ended.status, 0);
}

TEST_P(LxcImage, CannotBeChanged) {
  const std::string tree = MakeTree(Directories() + "/tiny/1");
  const Ended ended =
      InImage({.command = "for f in /etc/marker /etc/new /new /var/empty/new; do echo x > $f; done; "
                          "echo kept > /tmp/x && cat /tmp/x"});
  EXPECT_EQ(ended.out, "kept\n") << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("/etc/marker: Read-only file system"));
  EXPECT_EQ(Contents(tree + "/etc/marker"), "image\n");
  EXPECT_THAT(Names(tree + "/var/empty"), IsEmpty());
  EXPECT_FALSE(Exists(tree + "/new"));
}

// As in every container: the image changes the files, and nothing else.
TEST_P(LxcImage, ConfinesAsWithoutOne) {
  MakeTree(Directories() + "/tiny/1");
  const Ended ended =
      InImage({.command = "while read line; do case $line in Cap*|NoNewPrivs*|Seccomp:*) echo $line;; "
                          "esac; done < /proc/self/status; echo /proc/[0-9]*; cat /proc/net/dev"});
  const std::string none = "0000000000000000";
  EXPECT_THAT(ended.out,
              HasSubstr("CapInh: " + none + "\nCapPrm: " + none + "\nCapEff: " + none + "\nCapBnd: " + none +
                        "\nCapAmb: " + none + "\nNoNewPrivs: 1\nSeccomp: 2\n"));
  EXPECT_THAT(ended.out, HasSubstr("/proc/1 "));
  EXPECT_THAT(ended.out, Not(HasSubstr("eth")));
}

TEST_P(LxcImage, ShowsWhatThePolicyGrants) {
  const std::string tree = MakeTree(Directories() + "/tiny/1");
  const std::string granted = workspace.Directory("rw");
  const std::string file = workspace.File("ro/file", "host\n");
  const std::string secret = workspace.File("rw/secret", Token());
  const Ended ended = InImage({.command = "cat " + file + "; echo made > " + granted + "/made; cat " +
                                          secret + "; echo x > " + file + "; cat /etc/marker",
                               .read_only = {file},
                               .read_write = {granted},
                               .denied = {secret},
                               .cwd = granted});
  EXPECT_EQ(ended.out, "host\nimage\n") << ended.err;
  EXPECT_EQ(Contents(granted + "/made"), "made\n");
  EXPECT_EQ(Contents(file), "host\n");
  EXPECT_THAT(ended.err, HasSubstr("cat: " + secret + ": Permission denied"));
  EXPECT_FALSE(Exists(tree + workspace.Root())) << "mount points are not made in the image";
}

// A directory that the host and the image both have: the grant shows the host's.
TEST_P(LxcImage, AGrantCoversWhatTheImageHas) {
  const std::string host = workspace.Directory("both");
  workspace.File("both/file", "host\n");
  const std::string tree = MakeTree(Directories() + "/tiny/1");
  workspace.File(Directories() + "/tiny/1" + host + "/file", "image\n");
  workspace.File(Directories() + "/tiny/1" + host + "/only", "image\n");
  const Ended ended =
      InImage({.command = "cat " + host + "/file; cat " + host + "/only; :", .read_only = {host}});
  EXPECT_EQ(ended.out, "host\n") << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("No such file"));
  EXPECT_EQ(InImage({.command = "cat " + host + "/file"}).out, "image\n");
}

TEST_P(LxcImage, ReportsWhatIsNotInIt) {
  MakeTree(Directories() + "/tiny/1");
  const std::string hidden = workspace.File("hidden/file", "host\n");
  const Ended ended =
      Execute(LaunchOf({.command = "cat /etc/marker " + hidden + " /etc/passwd; :"}, {"--report"}));
  EXPECT_EQ(ended.out, "image\n");
  EXPECT_THAT(ended.err, HasSubstr("mxc-exec: files: 1 denied"));
  EXPECT_THAT(ended.err, HasSubstr("'" + hidden + "' (read): nothing of the policy grants it"));
}

TEST_P(LxcImage, ADenialHoldsForTheImagesFiles) {
  MakeTree(Directories() + "/tiny/1");
  const Ended ended = InImage(
      {.command = "cat /etc/marker; echo /var/*; cat < /bin/sh", .denied = {"/etc/marker", "/var/empty"}});
  EXPECT_EQ(ended.out.substr(0, 11), "/var/empty\n") << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("/etc/marker: Permission denied"));
}

// The same file, by its path inside and by its path on the host, which a grant shows.
TEST_P(LxcImage, ADenialByThePathInsideHoldsByThePathOnTheHost) {
  const std::string tree = MakeTree(Directories() + "/tiny/1");
  const std::string etc = IsRoot() ? "/var/lib/mxc-exec/images/tiny/1/etc" : tree + "/etc";
  workspace.File(Directories() + "/tiny/1/etc/open", "open\n");
  workspace.Link(Directories() + "/tiny/1/way", "/etc");
  for (const char* denied : {"/etc/marker", "/etc/m*", "/way/marker"}) {
    const Ended ended =
        InImage({.command = "cat " + etc + "/open " + etc + "/marker /etc/open /etc/marker /way/marker; :",
                 .read_only = {etc},
                 .denied = {denied}});
    EXPECT_EQ(ended.out, "open\nopen\n") << denied << ended.err;
  }
}

TEST_P(LxcImage, OtherNamesOfADeniedFileAreToldOf) {
  const std::string tree = MakeTree(Directories() + "/tiny/1");
  ASSERT_EQ(::link((tree + "/etc/marker").c_str(), (tree + "/etc/other").c_str()), 0);
  const Ended ended = Execute(LaunchOf({.denied = {"/etc/marker"}}, {"--explain"}));
  EXPECT_THAT(ended.out, HasSubstr("hard-link")) << ended.err;
}

// A program of the host listens in the image's directory. Bound by another name, where that is mounted.
TEST_P(LxcImage, SocketsOfTheHostInItAreDenied) {
  const std::string tree = MakeTree(Directories() + "/tiny/1");
  const Listener daemon = Listener::Unix(tree + "/var/empty/d");
  const Ended ended = InImage({.command = "[ -S /var/empty/d ] || echo denied"});
  EXPECT_EQ(ended.out, "denied\n") << ended.err;
}

TEST_P(LxcImage, AMountBelowItIsRefused) {
  if (!IsRoot()) GTEST_SKIP() << "only root can mount";
  MakeTree(Directories() + "/tiny/1");
  workspace.Directory(Directories() + "/tiny/1/srv");
  Launch launch = LaunchOf({.command = "echo runs"});
  launch.before_exec = [before = launch.before_exec] {
    before();
    if (::mount("proc", "/var/lib/mxc-exec/images/tiny/1/srv", "proc", 0, nullptr) != 0) ::_exit(98);
  };
  const Ended ended = Execute(launch);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(EnvelopeMessage(ended),
            "the image '/var/lib/mxc-exec/images/tiny/1' has a file system mounted in it, at "
            "'/var/lib/mxc-exec/images/tiny/1/srv' (proc)");
}

TEST_P(LxcImage, AnArchiveOfLxcIsUnpackedOnce) {
  ASSERT_TRUE(MakeArchive());
  EXPECT_EQ(InImage({.command = "cat /etc/marker"}).out, "image\n");
  const std::vector<std::string> trees = UnpackedTrees();
  ASSERT_EQ(trees.size(), 1U);
  const std::string tree = workspace.Path(Unpacked() + "/tiny/1/" + trees[0]);
  struct stat status {};
  ASSERT_EQ(::stat((tree + "/etc/marker").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, uid) << "the caller's, who is the one id of the container";
  workspace.File(Unpacked() + "/tiny/1/" + trees[0] + "/etc/marker", "unpacked\n");
  EXPECT_EQ(InImage({.command = "cat /etc/marker"}).out, "unpacked\n");
  EXPECT_EQ(UnpackedTrees(), trees);
}

TEST_P(LxcImage, ANewerArchiveIsUnpackedBesideTheOld) {
  ASSERT_TRUE(MakeArchive());
  EXPECT_EQ(InImage({.command = "cat /etc/marker"}).out, "image\n");
  ASSERT_TRUE(MakeArchive([&](const std::string& tree) {
    workspace.File(tree.substr(workspace.Root().size() + 1) + "/etc/marker", "newer\n");
  }));
  EXPECT_EQ(InImage({.command = "cat /etc/marker"}).out, "newer\n");
  EXPECT_EQ(UnpackedTrees().size(), 2U);
}

// Those who come at one time unpack it once, and what a killed one left is removed.
TEST_P(LxcImage, ManyAtOneTimeUnpackOneTree) {
  ASSERT_TRUE(MakeArchive());
  workspace.File(Unpacked() + "/tiny/1/.unpacking-0123456789abcdef/etc/half", "x");
  const Launch launch = LaunchOf({.command = "cat /etc/marker"});
  std::vector<std::unique_ptr<Running>> runs;
  for (int i = 0; i < 4; ++i) runs.push_back(std::make_unique<Running>(launch));
  for (const auto& run : runs) {
    const Ended ended = run->Wait();
    EXPECT_EQ(ended.out, "image\n") << ended.err;
  }
  EXPECT_THAT(UnpackedTrees(), testing::SizeIs(1));
}

// Names that lead out of the tree, device nodes, set-id bits: an archive is somebody else's.
// By a command that may read it, in another sandbox.
TEST_P(LxcImage, ALockOnTheCacheKeepsNobodyFromUnpacking) {
  ASSERT_TRUE(MakeArchive());
  const std::string place = workspace.Directory(Unpacked() + "/tiny/1");
  const UniqueFd cache{::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  ASSERT_EQ(::flock(cache.Get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(InImage({.command = "cat /etc/marker"}).out, "image\n");
}

TEST_P(LxcImage, AnArchiveCannotReachOutOfItsTree) {
  const std::string outside = workspace.Directory("outside");
  const std::string name = outside.substr(1);
  const std::string tree = MakeTree("tree");
  const std::string place = workspace.Directory(Archives() + "/tiny/1/" + kArchitecture + "/default");
  const std::string evil = workspace.File("evil", "evil\n", 04755);
  workspace.Link("tree/way", outside);
  // The link first, then a file below it; a file above the tree; an absolute one.
  const Ended packed =
      Execute({.program = "/bin/tar",
               .arguments = {"-P", "-I", "xz -0", "-cf", place + "/rootfs.tar.xz", "-C", tree, ".", "-C",
                             workspace.Root(), "--transform", "s,^evil$,./way/one,", "evil", "--transform",
                             "s,^./way/one$,../../two,", "evil", evil}});
  ASSERT_EQ(packed.status, 0) << packed.err;
  const Ended ended = InImage({.command = "cat /etc/marker"});
  EXPECT_THAT(Names(outside), IsEmpty()) << ended.err;
  EXPECT_FALSE(Exists(workspace.Path(Unpacked() + "/two")));
  for (const std::string& unpacked : UnpackedTrees()) {
    struct stat status {};
    const std::string copy = workspace.Path(Unpacked() + "/tiny/1/" + unpacked + evil);
    if (::stat(copy.c_str(), &status) != 0) continue;
    EXPECT_EQ(status.st_mode & 06000U, 0U);
  }
}

TEST_P(LxcImage, DeviceNodesAreLeftOut) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can pack a device";
  ASSERT_TRUE(MakeArchive([](const std::string& tree) {
    ASSERT_EQ(::mkdir((tree + "/dev").c_str(), 0755), 0);
    ASSERT_EQ(::mknod((tree + "/dev/null").c_str(), S_IFCHR | 0666, ::makedev(1, 3)), 0);
    ASSERT_EQ(::mknod((tree + "/etc/disk").c_str(), S_IFBLK | 0666, ::makedev(7, 0)), 0);
  }));
  const Ended ended = InImage({.command = "cat /etc/marker; echo /etc/*; echo x > /dev/null && echo null"});
  EXPECT_EQ(ended.out, "image\n/etc/marker\nnull\n") << ended.err;
}

TEST_P(LxcImage, ABrokenArchiveLeavesNothing) {
  workspace.File(Archives() + "/tiny/1/" + kArchitecture + "/default/rootfs.tar.xz", "no archive");
  const Ended ended = InImage({});
  EXPECT_EQ(ended.status, 255);
  EXPECT_THAT(EnvelopeMessage(ended), HasSubstr("cannot be unpacked"));
  EXPECT_THAT(UnpackedTrees(), IsEmpty());
}

TEST_P(LxcImage, AMissingOneIsSaidWithTheCommandThatGetsIt) {
  const Ended ended = InImage({});
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(EnvelopeCode(ended), "backend_unavailable");
  EXPECT_EQ(EnvelopeMessage(ended),
            "the image tiny/1 is not on this machine, and nothing is downloaded for a run");
  EXPECT_THAT(ended.err, HasSubstr("lxc-create -n fetch -t download -- -d tiny -r 1 -a "));
  const Ended dry = Execute(LaunchOf({}, {"--dry-run"}));
  EXPECT_EQ(dry.status, 0) << "valid where the image is";
  EXPECT_THAT(dry.err + dry.out, HasSubstr("a run would be refused: the image tiny/1"));
}

TEST_P(LxcImage, StaysInASandboxThatStays) {
  MakeTree(Directories() + "/tiny/1");
  const auto ask = [&](const std::string& document) {
    Launch launch = LaunchOf({});
    launch.arguments = {"-"};
    launch.input = document;
    return Execute(launch);
  };
  const Ended provisioned = ask(R"({"version":"1.0.0","phase":"provision","containment":"lxc",)"
                                R"("lxc":{"distribution":"tiny","release":"1"}})");
  const std::string id = At(provisioned.out, "/result/sandboxId");
  ASSERT_TRUE(id.starts_with("lxc:")) << provisioned.out << provisioned.err;
  const auto phase = [&](const std::string& name, const std::string& more = "") {
    return ask(R"({"version":"1.0.0","phase":")" + name + R"(","sandboxId":")" + id + '"' + more + "}");
  };
  EXPECT_EQ(phase("start").status, 0);
  EXPECT_EQ(phase("exec", R"(,"process":{"commandLine":"cat /etc/marker"})").out, "image\n");
  EXPECT_EQ(phase("deprovision").status, 0);
}

}  // namespace
}  // namespace mxc::test::lxc_image_test
