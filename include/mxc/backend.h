// A backend is a name and pure functions. src/run runs all plans, so every backend compiles, plans and is
// tested on every host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/containment.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc {

// What a probe found out about this machine for a backend. A plain value, so that a test can supply one.
struct Support {
  bool usable = false;
  Tier tier = Tier::kNone;
  IsolationLevel isolation_level = IsolationLevel::kNone;
  int landlock_abi = 0;                    // of this kernel; only the weaker isolation levels fill it in
  std::string program = {};                // absolute path of the tool that it runs, if any
  std::string version = {};                // of that tool; only a live probe fills it in
  std::vector<std::string> features = {};  // capabilities and options that were found
  // Linux: files of /proc to mask for a root caller.
  std::vector<std::string> kernel_files = {};
  // Linux: why the network gateway cannot run here; only a live probe fills it in.
  std::string no_gateway = {};
  bool counts_own_tasks = false;             // RLIMIT_NPROC counts each user namespace's processes apart
  ErrorCode code = ErrorCode::kUnavailable;  // why not
  std::string reason = {};                   // why not, one sentence
  std::string remedy = {};                   // what the user can do about it
  std::vector<std::string> warnings = {};
  WindowsFacts windows = {};  // of a Windows host

  [[nodiscard]] bool Has(std::string_view feature) const;
};

[[nodiscard]] Support Unusable(ErrorCode code, std::string reason, std::string remedy);
// The Support of a containment that only another operating system has.
[[nodiscard]] Support OfAnotherSystem(Containment containment, OperatingSystem here);

enum class ProbeDepth {
  kQuick,  // before a launch: starts nothing
  kLive,   // --probe: really create the isolation, within 2 s
  // For a plan that is shown on another system: assumes a current version of the backend's own system, and
  // does not ask the host.
  kAssumed,
};

// The text of --explain, line by line. Control characters are escaped.
class ExplainPage {
 public:
  void Section(std::string_view title);
  void Line(std::string_view name, std::string_view value);  // a fact with its name, in two columns
  void Row(std::string_view line);                           // an entry of the section
  void Rows(std::string_view text);                          // an entry per line of `text`
  [[nodiscard]] std::string Take();

 private:
  std::string text_ = {};
};

// A backend's part of --explain, as lines of text and as members of the document.
struct Explanation {
  void (*text)(const Plan& plan, ExplainPage& page) = nullptr;  // nullptr: nothing to add
  std::string (*json)(const Plan& plan) = nullptr;              // a JSON object: its members are added
};

// An environment of this process in which `auto` selects this containment if the configuration has its
// section, and nothing weaker.
struct AutoPlace {
  bool (*here)(const Host& host) = nullptr;  // whether this process runs in it; nullptr: no such environment
  std::string_view inside = {};              // "this is ...", as prose
  std::string_view outside = {};             // "this is no ..."
  Warning stays = {};  // for `auto` there without the section: the command runs in that environment itself
};

struct Backend {
  Containment containment = {};
  Support (*probe)(const Host& host, ProbeDepth depth) = nullptr;
  Result<Plan> (*plan)(const Policy& policy, const Support& support) = nullptr;
  Explanation explain = {};
  // A hint for the user if the kernel refuses isolation that the probe reported as possible; nullptr: none.
  std::string (*refusal_hint)(const Host& host) = nullptr;
  AutoPlace place = {};  // with ContainmentTraits::auto_in_place
};

}  // namespace mxc
