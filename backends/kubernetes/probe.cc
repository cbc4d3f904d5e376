// Whether kubectl is here. The cluster is not asked: that takes a name of a context, and seconds.
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "backends/kubernetes/kubernetes.h"
#include "backends/linux/probing.h"
#include "mxc/limits.h"

namespace mxc::kubernetes {
namespace {

using linux_backend::Unusable;

constexpr unsigned kOldestMinor = 20;  // the oldest that is tested, Debian 12's

Support Usable(std::string program) {
  return {.usable = true, .tier = Tier::kVirtualMachine, .program = std::move(program)};
}

// The value of `"gitVersion": "v1.20.2"`.
std::string VersionIn(std::string_view text) {
  constexpr std::string_view kKey = "\"gitVersion\": \"v";
  const std::size_t at = text.find(kKey);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + kKey.size());
  return std::string(text.substr(0, text.find('"')));
}

bool IsTooOld(std::string_view version) {
  if (!version.starts_with("1.")) return version.starts_with("0.");
  version.remove_prefix(2);
  unsigned minor = 0;
  std::from_chars(version.data(), version.data() + version.size(), minor);
  return minor < kOldestMinor;
}

// kubectl has 50 MB, which are read first: on a busy machine kProbeLimitMs is too little.
constexpr std::uint32_t kVersionLimitMs = 5 * kProbeLimitMs;

}  // namespace

Support Probe(const Host& host, ProbeDepth depth) {
  if (depth == ProbeDepth::kAssumed) return Usable("/usr/bin/kubectl");
  if (host.System() != OperatingSystem::kLinux)
    return OfAnotherSystem(Containment::kKubernetes, host.System());
  const std::optional<std::string> program = host.FindTool("kubectl");
  if (!program) return linux_backend::NoTool(host, "kubectl", "kubectl", "kubernetes-client");
  Support support = Usable(*program);
  if (depth == ProbeDepth::kQuick) return support;
  const ToolRun run = host.Try({*program, "version", "--client", "--output=json"}, kVersionLimitMs);
  support.version = VersionIn(run.out);
  if (!linux_backend::Succeeded(run) || support.version.empty())
    return Unusable("'" + *program + "' does not say its version", "run `kubectl version --client` by hand");
  if (IsTooOld(support.version))
    return Unusable("kubectl " + support.version + " is older than 1.20", "install a newer one");
  support.warnings.emplace_back("kubectl alone was tried: whether there is a cluster was not asked");
  return support;
}

}  // namespace mxc::kubernetes
