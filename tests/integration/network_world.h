// A network of the test's own (network_world.py), and runs of mxc-exec in it.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/built.h"
#include "tests/support/engines.h"
#include "tests/support/launcher_test.h"

namespace mxc::test {

class NetworkWorld : public LauncherTest {
 protected:
  void SetUp() override {
    LauncherTest::SetUp();
    StartWorld("dual");
  }

  void TearDown() override {
    if (HasFailure())
      std::cerr << "The network's servers saw:\n" << Contents(directory_ + "/log").value_or("nothing\n");
    LauncherTest::TearDown();
  }

  // `kind`: of network_world.py. One that runs is ended.
  void StartWorld(const std::string& kind) {
    directory_ = workspace.Directory("world-" + kind + std::to_string(++worlds_), 0755);
    Launch launch{.program = "/usr/bin/unshare",
                  .arguments = {"--net", "--mount", "/usr/bin/python3",
                                SourceDirectory() + "/tests/integration/network_world.py", directory_, kind},
                  .before_exec = [] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }};
    world_ = std::make_unique<Running>(launch);
    ASSERT_TRUE(world_->SaysOnStdout("up\n")) << world_->Wait().err;
  }

  // In the child of a launch, while it is still root's.
  void Enter() const {
    const std::string path = "/proc/" + std::to_string(world_->Pid()) + "/ns/";
    for (const char* kind : {"net", "mnt"}) {
      const UniqueFd space{::open((path + kind).c_str(), O_RDONLY | O_CLOEXEC)};
      if (::setns(space.Get(), 0) != 0) ::_exit(99);
    }
  }

  [[nodiscard]] Launch InWorld(Launch launch) const {
    launch.before_exec = [this] { Enter(); };
    return launch;
  }
  // `network`: the section; `command`: of /bin/sh.
  [[nodiscard]] Ended RunPolicy(const std::string& containment, const std::string& network,
                                const std::string& command, std::vector<std::string> flags = {},
                                const std::string& version = "0.8.0-alpha") const {
    const Parts parts{.version = version,
                      .containment = containment,
                      .command = command,
                      .read_only = granted_,
                      .network = network};
    Launch launch = PrepareConfig(parts, std::move(flags));
    launch.environment.insert(launch.environment.end(), variables_.begin(), variables_.end());
    return Execute(InWorld(std::move(launch)));
  }

  // What the world's servers saw, but for the questions to its resolver.
  [[nodiscard]] std::vector<std::string> Seen() const {
    std::vector<std::string> lines = Lines(Contents(directory_ + "/log").value_or(""));
    std::erase_if(lines, [](const std::string& line) { return line.starts_with("dns "); });
    return lines;
  }
  [[nodiscard]] std::vector<std::string> Asked() const {
    std::vector<std::string> lines = Lines(Contents(directory_ + "/log").value_or(""));
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with("dns "); });
    return lines;
  }

  std::string directory_ = {};
  std::vector<std::string> granted_ = {};    // read-only, to every run
  std::vector<std::string> variables_ = {};  // NAME=VALUE of the launcher's environment, for every run
  std::unique_ptr<Running> world_ = {};
  int worlds_ = 0;
};

inline const std::vector<const char*> kEngines = Engines();
// What each of them does, one after the other.
inline std::vector<std::string> ForEachEngine(const std::vector<std::string>& lines) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < kEngines.size(); ++i) all.insert(all.end(), lines.begin(), lines.end());
  return all;
}
inline constexpr const char* kOnlyGood =
    R"({"egress":{"allow":[{"to":[{"host":"good.test"}],"ports":[{"protocol":"tcp","port":80},
        {"protocol":"tcp","port":443},{"protocol":"tcp","port":22}]}]}})";

// "yes" or "no" a line, for each of the words of a shell list.
inline std::string Try(const std::string& list, const std::string& attempt) {
  return "for x in " + list + "; do if " + attempt +
         " >/dev/null 2>&1; then echo yes; else echo \"no $x\"; fi; done";
}

}  // namespace mxc::test
