// Stand-ins for programs of Windows that Wine does not have: copies of this test program in the system
// directory of Wine. Never made on a real Windows.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mxc::test {

// Started under the name of a stand-in: does what it would do, and returns its exit status.
//
// wsl.exe -d NAME --cd DIR --exec PROGRAM ...: prints its arguments and what crosses in WSLENV into the file
// MXC_FAKE_WSL, which also says what it is to do, and answers as a distribution with mxc-exec would.
// `start --foreground` makes a file in the folder mxc-fake-wsl.d, named as its identifier with "-" for ":",
// and stays as long as that is there; `stop` removes it, and a request of exec needs it. The file "running"
// there says that the distribution runs: each call with -d starts it. WindowsSandbox.exe FILE.wsb: runs the
// logon command on this machine, on the folders of the host, and ends with it. The file mxc-fake-sandbox says
// what else it is to do, mxc-fake-sandbox.log gets the .wsb file. bfscfg.exe: puts its command lines into
// mxc-fake-bfscfg.log; the file mxc-fake-bfscfg says which of them fail.
[[nodiscard]] std::optional<int> RunAsSystemProgram(const std::vector<std::string>& arguments);

// In the system directory, where stand-ins find what they are to do and say what they did.
[[nodiscard]] std::string InSystem(const std::string& name);

// One stand-in, as long as this object lives.
class SystemProgram {
 public:
  explicit SystemProgram(const std::string& name);
  SystemProgram(const SystemProgram&) = delete;
  SystemProgram& operator=(const SystemProgram&) = delete;
  ~SystemProgram();

 private:
  std::string path_;
};

// What the registry says of WSL, as long as this object lives: "Debian X", the default one, and "Old", which
// is of version 1.
class WslDistributions {
 public:
  WslDistributions();
  WslDistributions(const WslDistributions&) = delete;
  WslDistributions& operator=(const WslDistributions&) = delete;
  ~WslDistributions();
};

[[nodiscard]] bool IsWine();

}  // namespace mxc::test
