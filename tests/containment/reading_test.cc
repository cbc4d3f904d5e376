// What must not be read.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <filesystem>
#include <fstream>

#include "tests/containment/containment.h"

namespace mxc::test::reading_test {
namespace {

using testing::AnyOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Reading : public ContainmentTest {};
MXC_FOR_EACH_CALLER_AND_ENGINE(Reading);

TEST_P(Reading, WhatIsGrantedAndNothingBesideIt) {
  const std::string file = workspace.File("ro/file", "READABLE");
  const std::string unlisted = Secret("unlisted/file");
  EXPECT_THAT(Try({.read_only = {workspace.Path("ro")}}, {{"read", file}, {"read", unlisted}}),
              ElementsAre("READABLE", "ENOENT"));
}

TEST_P(Reading, ASingleFileDoesNotBringItsSiblings) {
  const std::string file = workspace.File("dir/one", "ONE");
  EXPECT_THAT(Try({.read_only = {file}}, {{"read", file}, {"read", Secret("dir/two")}}),
              ElementsAre("ONE", "ENOENT"));
}

TEST_P(Reading, DeniedFileAndDirectoryInsideAReadOnlyGrant) {
  const std::string file = Secret("ro/file");
  Secret("ro/dir/inner");
  workspace.File("ro/sibling", "OK");
  const std::string ro = workspace.Path("ro");
  EXPECT_THAT(
      Try({.read_only = {ro}, .denied = {file, ro + "/dir"}},
          {{"read", file}, {"read", ro + "/dir/inner"}, {"list", ro + "/dir"}, {"read", ro + "/sibling"}}),
      ElementsAre("EACCES", AnyOf("ENOENT", "EACCES"), AnyOf("", "EACCES"), "OK"));
}

TEST_P(Reading, DeniedFileAndDirectoryInsideAReadWriteGrant) {
  const std::string file = Secret("rw/file");
  Secret("rw/dir/inner");
  const std::string rw = workspace.Path("rw");
  EXPECT_THAT(
      Try({.read_write = {rw}, .denied = {file, rw + "/dir"}},
          {{"read", file}, {"read", rw + "/dir/inner"}, {"list", rw + "/dir"}, {"write", rw + "/new", "x"}}),
      ElementsAre("EACCES", AnyOf("ENOENT", "EACCES"), AnyOf("", "EACCES"), "ok"));
  EXPECT_EQ(Contents(rw + "/new"), "x");
}

TEST_P(Reading, TheMostSpecificPathWins) {
  Secret("den/secret");
  const std::string file = workspace.File("den/public/file", "PUBLIC");
  const std::string den = workspace.Path("den");
  EXPECT_THAT(
      Try({.read_only = {den + "/public"}, .denied = {den}}, {{"read", file}, {"read", den + "/secret"}}),
      ElementsAre("PUBLIC", AnyOf("ENOENT", "EACCES")));
}

TEST_P(Reading, SymlinksLeadNowhereElse) {
  const std::string denied = Secret("ro/den/file");
  const std::string unlisted = Secret("unlisted/file");
  workspace.Link("ro/there", workspace.Path("unlisted"));
  workspace.Link("ro/up", "../unlisted/file");
  const std::string rw = workspace.Directory("rw");
  const std::string ro = workspace.Path("ro");
  const auto closed = AnyOf("ENOENT", "EACCES");
  EXPECT_THAT(
      Try({.read_only = {ro}, .read_write = {rw}, .denied = {ro + "/den"}}, {{"symlink", denied, rw + "/a"},
                                                                             {"symlink", unlisted, rw + "/b"},
                                                                             {"read", rw + "/a"},
                                                                             {"read", rw + "/b"},
                                                                             {"read", ro + "/there/file"},
                                                                             {"read", ro + "/up"}}),
      ElementsAre("ok", "ok", closed, closed, closed, closed));
}

TEST_P(Reading, ADeniedSymlinkDeniesItsTarget) {
  const std::string rw = workspace.Directory("rw");
  Secret("rw/real/file");
  Secret("rw/realfile");
  workspace.Link("rw/dirlink", workspace.Path("rw/real"));
  workspace.Link("rw/filelink", "realfile");
  EXPECT_THAT(Try({.read_write = {rw}, .denied = {rw + "/dirlink", rw + "/filelink"}},
                  {{"read", rw + "/real/file"},
                   {"read", rw + "/dirlink/file"},
                   {"read", rw + "/realfile"},
                   {"read", rw + "/filelink"}}),
              Each(AnyOf("ENOENT", "EACCES")));
}

TEST_P(Reading, TheSameObjectUnderTwoNamesGetsTheStricterAccess) {
  const std::string file = Secret("rw/file");
  ASSERT_EQ(::link(file.c_str(), workspace.Path("rw/alias").c_str()), 0);
  const std::string rw = workspace.Path("rw");
  EXPECT_THAT(Try({.read_only = {rw + "/alias"}, .read_write = {rw}, .denied = {file}},
                  {{"read", file}, {"read", rw + "/alias"}}),
              Each("EACCES"));
}

TEST_P(Reading, DotsAndSlashesDoNotHideADenial) {
  const std::string file = Secret("ro/x/file");
  workspace.Directory("ro/y");
  const std::string ro = workspace.Path("ro");
  for (const char* spelling : {"/x/../x/file", "/./x/file", "//x///file", "/y/../x/", "/x/."}) {
    EXPECT_THAT(
        Try({.read_only = {ro}, .denied = {ro + spelling}}, {{"read", file}, {"read", ro + "/y/../x/file"}}),
        Each(AnyOf("ENOENT", "EACCES")))
        << spelling;
  }
}

TEST_P(Reading, OddNamesAreDeniedToo) {
  const std::vector<std::string> names = {
      "a b 'q $(id) ; & | * ? [x] \\ #", "caf\u00e9", "cafe\u0301", "new\nline\tx", "-rf", "--bind"};
  Parts policy = {.read_write = {workspace.Directory("rw")}};
  std::vector<Words> operations;
  for (const std::string& name : names) {
    policy.denied.push_back(Secret("rw/" + name));
    operations.push_back({"read", policy.denied.back()});
  }
  EXPECT_THAT(Try(policy, operations), Each("EACCES"));
}

TEST_P(Reading, ProcLeadsNowhereElse) {
  const std::string denied = Secret("rw/den/file");
  const std::string unlisted = Secret("unlisted/file");
  const std::string rw = workspace.Path("rw");
  const auto answers =
      Try({.read_write = {rw}, .denied = {rw + "/den"}}, {{"read", "/proc/self/root" + denied},
                                                          {"read", "/proc/thread-self/root" + unlisted},
                                                          {"read", "/proc/1/root" + unlisted},
                                                          {"everyroot", unlisted},
                                                          {"everyroot", denied}});
  EXPECT_THAT(answers, Each(Not(HasSubstr(token))));
}

TEST_P(Reading, TheLaunchersDirectoryIsNotVisible) {
  Secret("secret-of-cwd");
  EXPECT_THAT(Try({}, {{"everyroot", "/secret-of-cwd"}, {"read", "secret-of-cwd"}}),
              Each(Not(HasSubstr(token))));
}

TEST_P(Reading, AMaskCannotBeTakenAway) {
  const std::string rw = workspace.Directory("rw");
  Secret("rw/dir/file");
  const std::string file = Secret("rw/file");
  const std::string umount = std::to_string(SYS_umount2);
  EXPECT_THAT(
      Try({.read_write = {rw}, .denied = {rw + "/dir", file}}, {{"syscall", umount, "s:" + rw + "/dir", "2"},
                                                                {"syscall", umount, "s:" + file, "2"},
                                                                {"nested", umount, "s:" + file, "2"},
                                                                {"rename", rw + "/dir", rw + "/moved"},
                                                                {"link", file, rw + "/alias"},
                                                                {"rename", file, rw + "/moved"},
                                                                {"unlink", file},
                                                                {"read", rw + "/alias"},
                                                                {"read", rw + "/moved"}}),
      Not(testing::Contains("ok")));
  EXPECT_EQ(Contents(file), token);
  EXPECT_THAT(Names(rw), ElementsAre("dir", "file"));
}

// Whoever owns a directory may change its mode.
TEST_P(Reading, WhatTheBaselineHidesStaysEmpty) {
  const Ended ended = RunConfig(
      {.command = "d=/usr/local/etc; chmod 777 $d 2>/dev/null; touch $d/file 2>/dev/null; ls -A $d; ls -d $d",
       .filesystem = R"("tools":"inherit")"});
  EXPECT_EQ(ended.out, "/usr/local/etc\n") << ended.err;
}

TEST_P(Reading, ADeniedPathThatAppearsLaterStaysDenied) {
  const std::string rw = workspace.Directory("rw");
  const std::string later = rw + "/later";
  Running running(PrepareGuest({.read_write = {rw}, .denied = {later}},
                               {{"write", rw + "/up", "x"}, {"await", rw + "/go"}, {"read", later}}));
  ASSERT_TRUE(running.SaysOnStdout("ok\n"));
  workspace.File("rw/later", token);
  workspace.File("rw/go", "");
  const Ended ended = running.Wait();
  EXPECT_EQ(ended.out, "ok\nok\nEACCES\n") << ended.err;
}

TEST_P(Reading, AMissingDeniedPathLeavesNothingBehind) {
  const std::string rw = workspace.Directory("rw");
  EXPECT_THAT(Try({.read_write = {rw}, .denied = {rw + "/missing", rw + "/a/b/c"}},
                  {{"write", rw + "/missing", "x"}, {"mkdir", rw + "/a/b"}}),
              ElementsAre("EACCES", "ENOTDIR"));
  EXPECT_THAT(Names(rw), testing::IsEmpty());
}

TEST_P(Reading, SecretsOfTheSystem) {
  std::vector<Words> operations;
  for (const char* file :
       {"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/sudoers", "/etc/ssh/ssh_host_ed25519_key"}) {
    operations.push_back({"read", file});
  }
  EXPECT_THAT(Try({}, operations), Each(AnyOf("EACCES", "ENOENT")));
}

// A directory below /etc, made by root for one test.
class InEtc : public ContainmentTest {
 protected:
  void SetUp() override {
    ContainmentTest::SetUp();
    if (::geteuid() != 0) GTEST_SKIP() << "only root writes to /etc";
    ASSERT_EQ(::mkdir(directory_.c_str(), 0755), 0);
  }
  void TearDown() override {
    std::filesystem::remove_all(directory_);
    ContainmentTest::TearDown();
  }
  std::string Make(const std::string& name, mode_t mode) const {
    const std::string path = directory_ + "/" + name;
    std::ofstream(path) << token;
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  std::string MakeDirectory(const std::string& name, mode_t mode) const {
    const std::string path = directory_ + "/" + name;
    EXPECT_EQ(::mkdir(path.c_str(), 0700), 0);
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }

  const std::string directory_ = "/etc/mxc-" + token.substr(4);
};
MXC_FOR_EACH_CALLER_AND_ENGINE(InEtc);

TEST_P(InEtc, WhatOthersMayNotReadIsClosed) {
  const std::string closed = MakeDirectory("closed", 0700);
  const std::vector<std::string> files = {Make("file", 0600), Make("group", 0640),
                                          Make("closed/inside", 0644)};
  std::vector<Words> operations = {{"list", closed}, {"write", files[0], "x"}};
  for (const std::string& file : files) operations.push_back({"read", file});
  EXPECT_THAT(Try({}, operations), Each(AnyOf("EACCES", "EROFS", "ENOENT", "")));
  const std::string open = directory_ + "/open";
  std::ofstream(open) << "OPEN";
  EXPECT_THAT(Try({}, {{"read", open}}), ElementsAre("OPEN"));
}

TEST_P(InEtc, WhatThePolicyGrantsCanBeRead) {
  const std::string closed = MakeDirectory("closed", 0711);
  const std::string file = directory_ + "/closed/file";
  std::ofstream(file) << "GRANTED";
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  ASSERT_EQ(::chown(file.c_str(), uid, static_cast<gid_t>(-1)), 0);
  EXPECT_THAT(Try({.read_only = {file}}, {{"read", file}, {"read", Make("file", 0600)}}),
              ElementsAre("GRANTED", AnyOf("EACCES", "ENOENT")));
}

// The kernel judges each time.
TEST_P(InEtc, WhatIsClosedLaterIsClosed) {
  const std::string rw = workspace.Directory("rw");
  const std::string before = directory_ + "/before";
  std::ofstream(before) << "old";
  Running running(PrepareGuest({.read_write = {rw}}, {{"write", rw + "/up", "x"},
                                                      {"await", rw + "/go"},
                                                      {"read", before},
                                                      {"read", directory_ + "/later"}}));
  ASSERT_TRUE(running.SaysOnStdout("ok\n"));
  Make("before", 0600);
  ::chmod(before.c_str(), 0600);
  Make("later", 0600);
  workspace.File("rw/go", "");
  const Ended ended = running.Wait();
  EXPECT_THAT(ended.out, Not(HasSubstr(token))) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("EACCES"));
}

TEST_P(Reading, PlacesEverybodyShares) {
  std::vector<Words> operations;
  std::vector<std::string> made;
  for (const char* directory : {"/tmp", "/var/tmp", "/dev/shm", "/run", "/home", "/root", "/opt"}) {
    const std::string file = directory + ("/mxc-" + token.substr(4));
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) continue;
    EXPECT_EQ(::write(fd, token.data(), token.size()), static_cast<ssize_t>(token.size()));
    ::close(fd);
    made.push_back(file);
    operations.push_back({"read", file});
  }
  ASSERT_FALSE(made.empty());
  EXPECT_THAT(Try({}, operations), Each(AnyOf("ENOENT", "EACCES")));
  for (const std::string& file : made) ::unlink(file.c_str());
}

TEST_P(Reading, Devices) {
  std::vector<Words> operations;
  for (const char* device :
       {"/dev/mem", "/dev/port", "/dev/kmsg", "/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/loop-control",
        "/dev/loop0", "/dev/sda", "/dev/vda", "/dev/uinput", "/proc/kcore", "/proc/kmsg"}) {
    operations.push_back({"open", device, "r"});
  }
  EXPECT_THAT(Try({}, operations), Each(AnyOf("ENOENT", "EACCES", "EPERM", "ENXIO")));
}

TEST_P(Reading, AHandleMadeOutsideOpensNothing) {
  const std::string ro = workspace.Directory("ro");
  const std::string file = Secret("ro/den/file");
  alignas(file_handle) std::array<unsigned char, sizeof(file_handle) + 128> bytes{};
  auto* handle = reinterpret_cast<file_handle*>(bytes.data());
  handle->handle_bytes = 128;
  int mount = 0;
  if (::name_to_handle_at(AT_FDCWD, file.c_str(), handle, &mount, 0) != 0)
    GTEST_SKIP() << "no file handles here";
  std::string text = "x:";
  for (std::size_t i = 0; i < sizeof(file_handle) + handle->handle_bytes; ++i) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += {kDigits[bytes.at(i) >> 4], kDigits[bytes.at(i) & 15]};
  }
  EXPECT_THAT(Try({.read_only = {ro}, .denied = {ro + "/den"}},
                  {{"syscall", std::to_string(SYS_open_by_handle_at), "-100", text, "0"}}),
              ElementsAre("EPERM"));
}

// As a command may leave it for the next run: the names in it can be listed, and nothing behind them.
TEST_P(Reading, APatternBelowADirectoryThatMayBeListedButNotEntered) {
  const std::string rw = workspace.Directory("rw");
  Secret("rw/conf/.env");
  for (const mode_t mode : {0400U, 0600U, 0U}) {
    ASSERT_EQ(::chmod((rw + "/conf").c_str(), mode), 0);
    const Ended ended = RunConfig({.command = "chmod 700 conf; cat conf/.env; true",
                                   .read_write = {rw},
                                   .denied = {rw + "/**/.env"},
                                   .cwd = rw});
    EXPECT_THAT(ended.out, Not(HasSubstr(token))) << mode << ended.err;
  }
  ASSERT_EQ(::chmod((rw + "/conf").c_str(), 0700), 0);
}

}  // namespace
}  // namespace mxc::test::reading_test
