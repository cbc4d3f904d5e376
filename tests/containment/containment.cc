#include "tests/containment/containment.h"

#include <fcntl.h>
#include <sys/file.h>

#include "tests/support/built.h"

namespace mxc::test {
namespace {

// For a POSIX shell.
std::string Quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

ContainmentTest::ContainmentTest() : guest(workspace.CopyOf(GuestProgram(), "bin/guest")) {}

// A leak is a failure wherever it shows.
void ContainmentTest::TearDown() {
  EXPECT_EQ(seen_.find(token), std::string::npos) << "the guest read a secret:\n" << seen_;
}

std::string ContainmentTest::Secret(const std::string& name, mode_t mode) const {
  return workspace.File(name, token, mode);
}

Launch ContainmentTest::PrepareGuest(Parts policy, const std::vector<Words>& operations) const {
  policy.command = Quoted(guest);
  for (const Words& words : operations) {
    for (const std::string& word : words) policy.command += " " + Quoted(word);
    policy.command += " ';'";
  }
  policy.read_only.push_back(guest);
  return PrepareConfig(policy);
}

std::vector<std::string> ContainmentTest::Try(Parts policy, const std::vector<Words>& operations,
                                              const std::function<void()>& before_exec) {
  Launch launch = PrepareGuest(std::move(policy), operations);
  launch.before_exec = before_exec;
  last = Execute(launch);
  seen_ += last.out + last.err;
  EXPECT_EQ(last.status, 0) << last.err;
  EXPECT_FALSE(last.overdue);
  std::vector<std::string> answers = Lines(last.out);
  EXPECT_GE(answers.size(), operations.size()) << "the guest did not answer every question: " << last.err;
  answers.resize(std::max(answers.size(), operations.size()));
  return answers;
}

std::optional<int> ContainmentTest::FlagsThatCanBeSet(const std::string& containment) const {
  const std::string file = workspace.Path("rw") + "/flags";
  const Ended ended = RunConfig({.containment = containment,
                                 .command = "touch " + file + "; chattr +d " + file +
                                            " || exit 99; set 0; for flag in i a; do chattr +$flag " + file +
                                            " && set $(($1 + 1)); chattr -$flag " + file + "; done; exit $1",
                                 .read_write = {workspace.Directory("rw")}});
  return ended.status == 99 ? std::nullopt : std::optional(ended.status);
}

bool IsLocked(const std::string& file) {
  const UniqueFd fd{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  return ::flock(fd.Get(), LOCK_EX | LOCK_NB) != 0;
}

}  // namespace mxc::test
