// Runs a program the way a user would, and collects all it does.
//
//   Ended ended = Execute({.arguments = {"--version"}});
//   EXPECT_EQ(ended.status, 0) << ended.err;
//
// A run never lasts longer than its deadline: what is late is killed and marked `overdue`.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "tests/support/built.h"

namespace mxc::test {

// A descriptor of ours that the program gets as `number`.
struct PassedFile {
  int borrowed_fd = -1;
  int number = -1;
};

struct Launch {
  std::string program = ProgramUnderTest();
  std::vector<std::string> arguments = {};
  std::string input = {};  // all of standard input
  std::vector<std::string> environment = {"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
                                          "HOME=/nonexistent-home", "LANG=C.UTF-8"};
  std::string cwd = "/";
  std::vector<PassedFile> files = {};
  int terminal = -1;  // borrowed; becomes the controlling terminal and all standard streams
  uid_t uid = ::geteuid();
  std::function<void()> before_exec = {};  // in the child, still with our identity
  std::chrono::seconds deadline{60};
};

struct Ended {
  int status = -1;  // exit status; -signal when a signal ended the program itself
  std::string out = {};
  std::string err = {};
  bool overdue = false;  // the program, or someone who holds its streams, outstayed the deadline
};

// A started program. The destructor kills it when nobody waited.
class Running {
 public:
  explicit Running(const Launch& launch);
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();

  [[nodiscard]] pid_t Pid() const { return pid_; }
  void Signal(int number) const;
  // Reads on until `text` stands in its standard output; false at the deadline or at the end of the stream.
  [[nodiscard]] bool SaysOnStdout(std::string_view text);
  // Until it has ended and both output streams are closed.
  [[nodiscard]] Ended Wait();

 private:
  void Exec(const Launch& launch, std::array<int, 3> streams) const;
  bool Step();  // one round of input and output; false when nothing is left to do
  void Feed();
  [[nodiscard]] int MillisecondsLeft() const;

  pid_t pid_ = -1;
  UniqueFd process_;
  UniqueFd in_, out_, err_;
  std::string input_;
  std::chrono::steady_clock::time_point deadline_;
  Ended ended_;
};

[[nodiscard]] Ended Execute(const Launch& launch);

// Processes, ours or in any namespace below, whose command line holds `marker`.
[[nodiscard]] std::vector<pid_t> Survivors(const std::string& marker);
// Asks again and again; false when it never became true in half a minute.
[[nodiscard]] bool Eventually(const std::function<bool()>& holds);

// Lines of a text, without their ends; the last line may lack one.
[[nodiscard]] std::vector<std::string> Lines(const std::string& text);
[[nodiscard]] std::string LastLine(const std::string& text);

}  // namespace mxc::test
