// Launch latency of mxc-exec beside plain bwrap and no sandbox at all.
//
//   mxc_bench build/release/mxc-exec [ROUNDS]
//
// Every round launches every contender once, in a new random order, so that a busy machine hits all alike.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace {

struct Contender {
  std::string name;
  std::vector<std::string> argv;
  std::vector<double> milliseconds = {};
};

// Wall time from spawn to reaped, in milliseconds; negative when the launch failed.
double LaunchOnce(const std::vector<std::string>& argv, const posix_spawn_file_actions_t& quiet) {
  std::vector<char*> pointers;
  for (const std::string& word : argv) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  pid_t child = -1;
  if (::posix_spawn(&child, pointers[0], &quiet, nullptr, pointers.data(), environ) != 0) return -1;
  int status = 0;
  ::waitpid(child, &status, 0);
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
  return status == 0 ? elapsed.count() : -1;
}

double Quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

double MedianRatio(const Contender& of, const Contender& to) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < of.milliseconds.size(); ++i) {
    ratios.push_back(of.milliseconds[i] / to.milliseconds[i]);
  }
  return Quantile(ratios, 0.5);
}

std::vector<Contender> MakeContenders(const std::string& program, const std::string& config) {
  std::ofstream(config) << R"({"version":"1.0.0","process":{"commandLine":"true"}})";
  std::vector<std::string> bwrap = {"/usr/bin/bwrap", "--unshare-user", "--unshare-pid",     "--unshare-ipc",
                                    "--unshare-uts",  "--unshare-net",  "--die-with-parent", "--clearenv"};
  for (const char* path : {"/bin", "/sbin", "/lib", "/lib64", "/usr/bin", "/usr/sbin", "/usr/lib", "/etc"}) {
    bwrap.insert(bwrap.end(), {"--ro-bind-try", path, path});
  }
  bwrap.insert(bwrap.end(), {"--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "/bin/sh", "-c", "true"});
  return {{.name = "no sandbox", .argv = {"/bin/sh", "-c", "true"}},
          {.name = "bwrap", .argv = bwrap},
          {.name = "mxc-exec", .argv = {program, config}}};
}

bool Measure(std::vector<Contender>& contenders, int rounds) {
  posix_spawn_file_actions_t quiet;
  ::posix_spawn_file_actions_init(&quiet);
  ::posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  std::vector<std::size_t> order = {0, 1, 2};
  std::mt19937 random(std::random_device{}());
  constexpr int kWarmUp = 5;
  for (int round = -kWarmUp; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      const double elapsed = LaunchOnce(contenders[i].argv, quiet);
      if (elapsed < 0) {
        std::fprintf(stderr, "%s failed\n", contenders[i].name.c_str());
        return false;
      }
      if (round >= 0) contenders[i].milliseconds.push_back(elapsed);
    }
  }
  ::posix_spawn_file_actions_destroy(&quiet);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: mxc_bench PROGRAM [ROUNDS]\n");
    return 2;
  }
  const int rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 200;
  std::string config = "/tmp/mxc-bench-XXXXXX";
  const int fd = ::mkostemp(config.data(), O_CLOEXEC);
  if (fd < 0) return 1;
  std::vector<Contender> contenders = MakeContenders(argv[1], config);
  const bool measured = Measure(contenders, rounds);
  ::unlink(config.c_str());
  if (!measured) return 1;
  std::printf("%-12s %8s %8s %8s %10s\n", "", "min ms", "median", "p95", "to bwrap");
  for (const Contender& contender : contenders) {
    std::printf("%-12s %8.2f %8.2f %8.2f %10.2f\n", contender.name.c_str(),
                Quantile(contender.milliseconds, 0), Quantile(contender.milliseconds, 0.5),
                Quantile(contender.milliseconds, 0.95), MedianRatio(contender, contenders[1]));
  }
  return 0;
}
