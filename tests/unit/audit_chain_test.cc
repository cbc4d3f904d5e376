// An audit log as a chain: what --audit-verify finds, and what many writers, kills and full disks leave.
#include "report/audit_chain.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/own_files.h"
#include "base/unique_fd.h"
#include "report/audit_file.h"
#include "report/verify_audit.h"
#include "tests/support/run_in_child.h"

namespace mxc::test::audit_chain_test {
namespace {

using ::testing::HasSubstr;

std::string Record(const std::string& event, const std::string& run) {
  return R"({"event":")" + event + R"(","run":")" + run + "\"}\n";
}

void Append(const std::string& path, const std::string& line) {
  Result<AuditFile> file = AuditFile::Open(path);
  ASSERT_TRUE(file) << file.error().message;
  const Result<std::string> appended = file->Append(line);
  ASSERT_TRUE(appended) << appended.error().message;
}

// By writer `i`, a process of its own, which says on standard error why not. Two hundred of them on a busy
// machine wait longer for each other than a run would.
bool Added(const std::string& path, int i) {
  Result<AuditFile> file = AuditFile::Open(path, std::chrono::minutes(2));
  const Result<std::string> appended =
      file ? file->Append(Record("network", std::to_string(i))) : file.error();
  if (!appended) std::cerr << appended.error().message << std::endl;
  return appended.ok();
}

// What the answer says, or its error.
std::string Verified(const std::vector<std::string>& files, const std::vector<std::string>& anchors = {}) {
  const Result<std::string> answer = VerifyAudit(files, anchors);
  return answer ? *answer : answer.error().message;
}

std::vector<std::string> LinesOf(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream text(ReadText(path));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::string HeadOf(const std::string& path) { return LinesOf(AuditHeadPath(path)).at(0); }

void WriteLines(const std::string& path, const std::vector<std::string>& lines) {
  std::ofstream file(path, std::ios::trunc);
  for (const std::string& line : lines) file << line << "\n";
}

class AuditLogChain : public ::testing::Test {
 protected:
  ScratchDirectory scratch;
  std::string path = scratch.Path("log");
};

TEST_F(AuditLogChain, NamesTheLineBefore) {
  for (const char* event : {"begin", "network", "end"}) Append(path, Record(event, "a"));
  Append(path, Record("begin", "b"));
  const std::vector<std::string> lines = LinesOf(path);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], R"({"event":"begin","run":"a","previous":")" + ChainStart() + "\"}");
  for (std::size_t i = 1; i < lines.size(); ++i)
    EXPECT_EQ(nlohmann::json::parse(lines[i])["previous"], LineHash(lines[i - 1]));
  EXPECT_EQ(HeadOf(path), LineHash(lines[3]));
  EXPECT_EQ(Verified({path}),
            R"({"lines":4,"unchained":0,"head":")" + LineHash(lines[3]) + "\",\"openRuns\":[\"b\"]}\n");
}

TEST_F(AuditLogChain, FindsWhatWasDoneToIt) {
  for (int i = 0; i < 9; ++i) Append(path, Record(i % 2 == 0 ? "begin" : "end", std::to_string(i / 2)));
  const std::vector<std::string> whole = LinesOf(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::vector<std::string> lines = whole;
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
    WriteLines(path, lines);
    EXPECT_THAT(Verified({path}), HasSubstr("audit log")) << "without line " << i;
    lines = whole;
    lines[i].replace(lines[i].find("run") + 6, 1, "9");
    WriteLines(path, lines);
    EXPECT_THAT(Verified({path}), HasSubstr("audit log")) << "line " << i << " changed";
    lines = whole;
    std::swap(lines[i], lines[i == 0 ? 1 : i - 1]);
    WriteLines(path, lines);
    EXPECT_THAT(Verified({path}), HasSubstr("audit log")) << "line " << i << " elsewhere";
    lines = whole;
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(i), R"({"event":"begin","run":"x"})");
    WriteLines(path, lines);
    EXPECT_THAT(Verified({path}), HasSubstr("audit log")) << "a line before " << i;
  }
  WriteLines(path, whole);
  const std::string text = ReadText(path);
  for (std::size_t size = 0; size < text.size(); size += 13) {
    std::ofstream(path, std::ios::trunc) << text.substr(0, size);
    EXPECT_THAT(Verified({path}), HasSubstr("audit log")) << "cut after " << size;
  }
}

// Without the file of its head, a log that ends earlier is whole; an earlier answer finds it out.
TEST_F(AuditLogChain, AnAnchorFindsALogThatEndsEarlier) {
  for (int i = 0; i < 3; ++i) Append(path, Record("begin", "a"));
  std::vector<std::string> lines = LinesOf(path);
  const std::string head = LineHash(lines.back());
  EXPECT_THAT(Verified({path}, {head}), HasSubstr(R"("lines":3)"));
  lines.pop_back();
  WriteLines(path, lines);
  ::unlink(AuditHeadPath(path).c_str());
  EXPECT_THAT(Verified({path}), HasSubstr(R"("lines":2)"));
  EXPECT_THAT(Verified({path}, {head}), HasSubstr("was in this log and is no longer"));
  EXPECT_THAT(Verified({path}, {"abc"}), HasSubstr("no hash of a line"));
}

// A writer that went on would make the shortened log whole again.
TEST_F(AuditLogChain, NothingIsAddedToALogThatWasCutOff) {
  for (int i = 0; i < 6; ++i) Append(path, Record("begin", std::to_string(i)));
  const std::vector<std::string> whole = LinesOf(path);
  std::vector<std::string> other = whole;
  other.back().replace(other.back().find("run") + 6, 1, "9");
  for (const std::vector<std::string>& lines :
       {std::vector<std::string>(whole.begin(), whole.begin() + 4), {whole[0]}, other}) {
    WriteLines(path, lines);
    Result<AuditFile> file = AuditFile::Open(path);
    ASSERT_TRUE(file);
    const Result<std::string> appended = file->Append(Record("begin", "x"));
    ASSERT_FALSE(appended) << lines.size();
    EXPECT_THAT(appended.error().message, HasSubstr("does not have the line of '" + path + ".head'"));
    EXPECT_EQ(LinesOf(path), lines);
    EXPECT_THAT(Verified({path}), HasSubstr("is no longer"));
  }
  // Renamed, as the error says: the chain goes on, and the gap stays to be seen.
  ASSERT_EQ(::rename(path.c_str(), scratch.Path("log.1").c_str()), 0);
  Append(path, Record("begin", "y"));
  EXPECT_THAT(Verified({scratch.Path("log.1"), path}), HasSubstr("audit log"));
}

// A writer that is killed between its line and the head, or a machine that loses its power.
TEST_F(AuditLogChain, AHeadMayBeOfAnEarlierLine) {
  for (int i = 0; i < 300; ++i) Append(path, Record("begin", std::string(500, 'a')));
  for (const std::size_t line : {298U, 290U, 0U}) {
    std::ofstream(AuditHeadPath(path), std::ios::trunc) << LineHash(LinesOf(path)[line]) << "\n";
    Append(path, Record("end", "a"));
    EXPECT_EQ(HeadOf(path), LineHash(LinesOf(path).back()));
  }
  EXPECT_THAT(Verified({path}), HasSubstr(R"("lines":303)"));
}

TEST_F(AuditLogChain, GoesOnInARotatedFile) {
  Append(path, Record("begin", "a"));
  Result<AuditFile> before = AuditFile::Open(path);
  ASSERT_EQ(::rename(path.c_str(), scratch.Path("log.1").c_str()), 0);
  ASSERT_TRUE(before->Append(Record("end", "a")));  // opened before, written behind
  Append(path, Record("begin", "b"));
  EXPECT_EQ(LinesOf(scratch.Path("log.1")).size(), 1U);
  EXPECT_THAT(Verified({scratch.Path("log.1"), path}), HasSubstr(R"("lines":3)"));
  EXPECT_THAT(Verified({path}), HasSubstr("an earlier file was left out"));
  EXPECT_THAT(Verified({path}, {LineHash(LinesOf(scratch.Path("log.1")).back())}), HasSubstr(R"("lines":2)"));
  EXPECT_THAT(Verified({path, scratch.Path("log.1")}), HasSubstr("audit log"));
}

// As logrotate does with `create`.
TEST_F(AuditLogChain, GoesOnInAFileThatIsMadeForIt) {
  Append(path, Record("begin", "a"));
  ASSERT_EQ(::rename(path.c_str(), scratch.Path("log.1").c_str()), 0);
  const UniqueFd made{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  Append(path, Record("end", "a"));
  EXPECT_THAT(Verified({scratch.Path("log.1"), path}), HasSubstr(R"("lines":2)"));
}

// As logrotate does with `copytruncate`.
TEST_F(AuditLogChain, NothingIsAddedToALogThatWasEmptied) {
  for (int i = 0; i < 3; ++i) Append(path, Record("begin", "a"));
  Result<AuditFile> file = AuditFile::Open(path);
  for (const std::string text : {"", "{"}) {
    std::ofstream(path, std::ios::trunc) << text;
    const Result<std::string> appended = file->Append(Record("begin", "x"));
    ASSERT_FALSE(appended);
    EXPECT_THAT(appended.error().message, HasSubstr("does not have the line of '" + path + ".head'"));
    EXPECT_EQ(ReadText(path), text);
  }
  ASSERT_EQ(::rename(path.c_str(), scratch.Path("log.1").c_str()), 0);
  ASSERT_TRUE(file->Append(Record("begin", "y")));
  EXPECT_THAT(Verified({scratch.Path("log.1"), path}), HasSubstr("audit log"));
  EXPECT_THAT(Verified({path}), HasSubstr("lines were removed"));
}

// Its name says nothing of where its file is now.
TEST_F(AuditLogChain, ALogThatWasRemovedLooksLikeOneThatWasRenamed) {
  Append(path, Record("begin", "a"));
  ASSERT_EQ(::unlink(path.c_str()), 0);
  Append(path, Record("end", "a"));
  EXPECT_THAT(Verified({path}), HasSubstr("an earlier file was left out, or lines were removed"));
}

TEST_F(AuditLogChain, AHeadThatIsNoHashIsTold) {
  Append(path, Record("begin", "a"));
  for (const char* text : {"garbage", "\n", "0123\n"}) {
    std::ofstream(AuditHeadPath(path), std::ios::trunc) << text;
    EXPECT_THAT(Verified({path}), HasSubstr("'" + path + ".head' does not hold the hash of a line"));
    EXPECT_FALSE(AuditFile::Open(path)->Append(Record("end", "a")));
  }
  std::ofstream(AuditHeadPath(path), std::ios::trunc);  // as it is made
  EXPECT_THAT(Verified({path}), HasSubstr(R"("lines":1)"));
  ASSERT_EQ(::unlink(AuditHeadPath(path).c_str()), 0);
  EXPECT_THAT(Verified({path}), HasSubstr(R"("lines":1)"));
  ASSERT_EQ(::mkdir(AuditHeadPath(path).c_str(), 0700), 0);
  EXPECT_THAT(Verified({path}), HasSubstr("log.head': it is not a regular file"));
}

// Whoever verifies as root must not wait for the owner of the directory.
TEST_F(AuditLogChain, IsReadFromRegularFilesAlone) {
  Append(path, Record("begin", "a"));
  const std::string pipe = scratch.Path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(Verified({pipe}), HasSubstr("read the audit log '" + pipe + "': it is not a regular file"));
  EXPECT_THAT(Verified({"/dev/zero"}), HasSubstr("it is not a regular file"));
  ::unlink(AuditHeadPath(path).c_str());
  ASSERT_EQ(::mkfifo(AuditHeadPath(path).c_str(), 0600), 0);
  EXPECT_THAT(Verified({path}), HasSubstr(".head': it is not a regular file"));
}

TEST_F(AuditLogChain, WhatItPrintsIsNoTextForATerminal) {
  Append(path, Record("begin", "a\u009b31m\u202e"));
  EXPECT_THAT(Verified({path}), HasSubstr(R"("openRuns":["a\u009b31m\u202e"])"));
}

TEST_F(AuditLogChain, AnEmptiedHeadIsFound) {
  Append(path, Record("begin", "a"));
  std::ofstream(AuditHeadPath(path), std::ios::trunc);
  EXPECT_THAT(Verified({path}), HasSubstr(R"("lines":1)"));  // its writer was killed
  for (const char* event : {"network", "end"}) Append(path, Record(event, "a"));
  std::ofstream(AuditHeadPath(path), std::ios::trunc);
  EXPECT_THAT(Verified({path}), HasSubstr("log.head' is empty, and the log has more than one line"));
}

// The head says then what it said before the line, and which line it was.
TEST_F(AuditLogChain, GoesOnBehindAKilledWriterInARotatedFile) {
  Append(path, Record("begin", "a"));
  const std::string before = ReadText(AuditHeadPath(path));
  Append(path, Record("end", "a"));
  const std::vector<std::string> lines = LinesOf(path);
  const std::string rotated = scratch.Path("log.1");
  ASSERT_EQ(::rename(path.c_str(), rotated.c_str()), 0);
  std::ofstream(AuditHeadPath(path), std::ios::trunc) << before << LineHash(lines[1]) << "\n";
  Append(path, Record("begin", "b"));
  Append(path, Record("end", "b"));
  EXPECT_THAT(Verified({rotated, path}), HasSubstr(R"("lines":4)"));
  EXPECT_THAT(Verified({path}, {LineHash(lines[1])}), HasSubstr(R"("lines":2)"));
  WriteLines(rotated, {lines[0]});  // killed before its line was there
  EXPECT_THAT(Verified({rotated, path}), HasSubstr(R"("lines":3)"));
  std::ofstream(rotated, std::ios::app) << lines[1].substr(0, lines[1].size() / 2);  // or half of it
  EXPECT_THAT(Verified({rotated, path}), HasSubstr(R"("lines":3)"));
  const std::string other = WithPrevious(Record("end", "x"), LineHash(lines[0]));
  WriteLines(rotated, {lines[0], other.substr(0, other.size() - 1)});
  EXPECT_THAT(Verified({rotated, path}), HasSubstr("it does not name the line before it"));
  EXPECT_THAT(Verified({path}), HasSubstr("an earlier file was left out"));
}

// Killed where the kernel lets them be.
TEST_F(AuditLogChain, RotationAmidKilledWritersKeepsOneChain) {
  constexpr int kWriters = 400;
  std::vector<std::string> files;
  Append(path, Record("network", "first"));
  for (int i = 0; i < kWriters; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (;;) {
        if (!Added(path, i)) ::_exit(1);
      }
    }
    ::usleep(static_cast<useconds_t>(500 + i % 97 * 7));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
    files.push_back(scratch.Path("log." + std::to_string(i)));
    if (::rename(path.c_str(), files.back().c_str()) != 0) files.pop_back();
  }
  Append(path, Record("network", "last"));
  files.push_back(path);
  EXPECT_THAT(Verified(files), HasSubstr(R"({"lines":)"));
}

TEST_F(AuditLogChain, HoldsTheLastOfOlderLines) {
  WriteLines(path, {R"({"event":"begin","run":"o"})", R"({"event":"end","run":"o"})"});
  Append(path, Record("begin", "a"));
  EXPECT_THAT(Verified({path}), HasSubstr(R"("lines":3,"unchained":2)"));
  std::vector<std::string> lines = LinesOf(path);
  lines[1] = R"({"event":"end","run":"p"})";
  WriteLines(path, lines);
  EXPECT_THAT(Verified({path}), HasSubstr("line 3"));
}

TEST_F(AuditLogChain, CutsOffWhatAKilledWriterLeft) {
  Append(path, Record("begin", "a"));
  std::ofstream(path, std::ios::app) << R"({"event":"en)";
  EXPECT_THAT(Verified({path}), HasSubstr("cut short"));
  Append(path, Record("end", "a"));
  EXPECT_THAT(Verified({path}), HasSubstr(R"("lines":2)"));
}

// The limit on a file's size stands for a disk that is full.
TEST_F(AuditLogChain, AFullDiskBreaksNothing) {
  Append(path, Record("begin", "a"));
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = 180, .rlim_max = 180};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    Result<AuditFile> file = AuditFile::Open(path);
    ::_exit(file && !file->Append(Record("end", "a")) ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(Verified({path}), HasSubstr(R"("lines":1)"));
  Append(path, Record("end", "a"));
  EXPECT_THAT(Verified({path}), HasSubstr(R"("lines":2)"));
}

std::vector<pid_t> StartWriters(const std::string& path, int count, int lines) {
  std::vector<pid_t> writers;
  for (int i = 0; i < count; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int line = 0; line < lines; ++line) {
        if (!Added(path, i)) ::_exit(1);
      }
      ::_exit(0);
    }
    writers.push_back(child);
  }
  return writers;
}

// Two hundred writers, of which some are killed.
TEST_F(AuditLogChain, ManyWritersMakeOneChain) {
  constexpr int kWriters = 200;
  constexpr int kLines = 5;
  const std::vector<pid_t> writers = StartWriters(path, kWriters, kLines);
  std::size_t killed = 0;
  for (std::size_t i = 0; i < writers.size(); i += 7) {
    ::usleep(300);
    ::kill(writers[i], SIGKILL);
    ++killed;
  }
  for (const pid_t writer : writers) {
    int status = 0;
    ::waitpid(writer, &status, 0);
    EXPECT_TRUE(status == 0 || WIFSIGNALED(status)) << status;
  }
  Append(path, Record("network", "last"));
  EXPECT_THAT(Verified({path}), HasSubstr(R"({"lines":)"));
  EXPECT_GE(LinesOf(path).size(), (kWriters - killed) * kLines);
}

// Writers that still have the file that was renamed, and writers with the new one.
TEST_F(AuditLogChain, RotationAmidManyWritersKeepsOneChain) {
  constexpr int kWriters = 8;
  constexpr int kLines = 250;
  constexpr int kRotations = 400;
  const std::vector<pid_t> writers = StartWriters(path, kWriters, kLines);
  std::vector<std::string> files;
  for (int i = 0; i < kRotations; ++i) {
    ::usleep(1000);
    const std::string rotated = scratch.Path("log." + std::to_string(i));
    if (::rename(path.c_str(), rotated.c_str()) == 0) files.push_back(rotated);
  }
  for (const pid_t writer : writers) {
    int status = 0;
    ::waitpid(writer, &status, 0);
    EXPECT_EQ(status, 0) << "a writer was refused";
  }
  Append(path, Record("network", "last"));
  files.push_back(path);
  EXPECT_THAT(Verified(files), HasSubstr(R"({"lines":)" + std::to_string(kWriters * kLines + 1) + ","));
}

// A writer without it would not take turns with the others.
TEST_F(AuditLogChain, AHeadThatCannotBeOpenedIsNoMissingOne) {
  constexpr uid_t kNobody = 65534;
  Append(path, Record("begin", "a"));
  ASSERT_EQ(::chmod(AuditHeadPath(path).c_str(), 0), 0);
  for (const std::string& name : {scratch.Path(""), path, AuditHeadPath(path)})
    ASSERT_TRUE(::getuid() != 0 || ::chown(name.c_str(), kNobody, kNobody) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::getuid() == 0 && ::setuid(kNobody) != 0) ::_exit(2);
    const Result<AuditFile> file = AuditFile::Open(path);
    ::_exit(!file && file.error().message.ends_with("Permission denied") ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// One that was removed and made anew has another lock.
TEST_F(AuditLogChain, GoesOnWhereTheHeadWasRemoved) {
  Append(path, Record("begin", "a"));
  Result<AuditFile> before = AuditFile::Open(path);
  ASSERT_EQ(::unlink(AuditHeadPath(path).c_str()), 0);
  Append(path, Record("begin", "b"));
  ASSERT_TRUE(before->Append(Record("end", "a")));
  EXPECT_EQ(HeadOf(path), LineHash(LinesOf(path).back()));
  EXPECT_THAT(Verified({path}), HasSubstr(R"("lines":3)"));
}

TEST_F(AuditLogChain, AHeldLockIsToldAsOne) {
  Append(path, Record("begin", "a"));
  for (const std::string& locked : {path, AuditHeadPath(path)}) {
    const UniqueFd held{::open(locked.c_str(), O_RDONLY | O_CLOEXEC)};
    ASSERT_EQ(::flock(held.Get(), LOCK_EX), 0);
    Result<AuditFile> file = AuditFile::Open(path, std::chrono::milliseconds(20));
    ASSERT_TRUE(file);
    const Result<std::string> appended = file->Append(Record("end", "a"));
    ASSERT_FALSE(appended);
    EXPECT_THAT(appended.error().message, HasSubstr("another process holds the lock of '" + locked + "'"));
    EXPECT_THAT(appended.error().hint, HasSubstr("lsof"));
    EXPECT_EQ(LinesOf(path).size(), 1U);
  }
  Append(path, Record("end", "a"));
}

// As on a machine that was suspended, or had no processor to spare, for longer than a writer waits.
TEST_F(AuditLogChain, TimeInWhichTheWriterStoodStillDoesNotCount) {
  Append(path, Record("begin", "a"));
  UniqueFd held{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  ASSERT_EQ(::flock(held.Get(), LOCK_EX), 0);
  const auto sleep = [](int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  };
  constexpr int kWaitMs = 1000;
  const pid_t child = ::fork();
  if (child == 0) {
    Result<AuditFile> file = AuditFile::Open(path, std::chrono::milliseconds(kWaitMs));
    ::_exit(file && file->Append(Record("end", "a")) ? 0 : 1);
  }
  sleep(50);
  ::kill(child, SIGSTOP);
  sleep(kWaitMs + 100);
  ::kill(child, SIGCONT);
  sleep(50);
  ::flock(held.Get(), LOCK_UN);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(AuditLogChain, TheHeadIsOpenedLikeTheLog) {
  ASSERT_EQ(::symlink("elsewhere", AuditHeadPath(path).c_str()), 0);
  const Result<AuditFile> file = AuditFile::Open(path);
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, HasSubstr("symbolic link"));
}

}  // namespace
}  // namespace mxc::test::audit_chain_test
