// Runs the program under test and takes down what it says.
#pragma once

#include <string>
#include <vector>

namespace mxc::test {

struct Said {
  unsigned long status = 0;
  std::string out = {};
  std::string err = {};
};

// Path of the program: the first argument of the test program.
[[nodiscard]] const std::string& ProgramPath();
void SetProgramPath(std::string path);

// For a string of JSON.
[[nodiscard]] std::string Escaped(const std::string& text);

// Throws std::runtime_error where the program cannot be started, which fails the test.
[[nodiscard]] Said RunProgram(const std::vector<std::string>& arguments, const std::string& input = "");

// Starts the program, kills it as soon as `file` is there, at most 20 s later, and says whether it was.
[[nodiscard]] bool KillProgramOnce(const std::vector<std::string>& arguments, const std::string& file);
// The same of another program.
[[nodiscard]] bool KillOnce(const std::vector<std::string>& argv, const std::string& file);

// A fresh directory below the temporary one, removed with everything in it.
class Scratch {
 public:
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();
  [[nodiscard]] std::string Path(const std::string& name) const { return path_ + "\\" + name; }
  // Returns its path.
  std::string Write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string Read(const std::string& name) const;

 private:
  std::string path_;
};

}  // namespace mxc::test
