// A backend is a name and pure functions. All plans are run by src/run, so every backend compiles,
// plans and is tested on every host.
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

// What this machine can do for a backend. A plain value: a test supplies one where a probe would say no.
struct Support {
  bool usable = false;
  Tier tier = Tier::kNone;
  IsolationLevel isolation_level = IsolationLevel::kNone;
  int landlock_abi = 0;                    // of this kernel; only the weaker isolation levels ask
  std::string program = {};                // absolute path of the tool it runs, if it runs one
  std::string version = {};                // of that tool; only a live probe fills it in
  std::vector<std::string> features = {};  // capabilities and options of that tool that were found
  // Linux: files of /proc to mask for a root caller.
  std::vector<std::string> kernel_files = {};
  std::string no_gateway =
      {};  // Linux: why the network gateway cannot stand here; only a live probe fills it in
  bool counts_own_tasks = false;             // RLIMIT_NPROC counts each user namespace's processes apart
  ErrorCode code = ErrorCode::kUnavailable;  // why not
  std::string reason = {};                   // why not, one sentence
  std::string remedy = {};                   // what the user can do about it
  std::vector<std::string> warnings = {};
  WindowsFacts windows = {};  // of a Windows host

  [[nodiscard]] bool Has(std::string_view feature) const;
};

[[nodiscard]] Support Unusable(ErrorCode code, std::string reason, std::string remedy);
// Of a containment whose home is another system than this one.
[[nodiscard]] Support OfAnotherSystem(Containment containment, OperatingSystem here);

enum class ProbeDepth {
  kQuick,  // before a launch: look, start nothing
  kLive,   // --probe: really create the isolation, within 2 s
  // For a plan that is shown on another system: the host is not asked, a current version of the backend's own
  // system is assumed.
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

// What a backend adds to --explain: its own part of a plan, as lines of text and as members of the document.
struct Explanation {
  void (*text)(const Plan& plan, ExplainPage& page) = nullptr;  // nullptr: there is nothing to add
  std::string (*json)(const Plan& plan) = nullptr;              // a JSON object: its members are added
};

// A place from which `auto` goes to a containment that has its section: nothing weaker comes instead.
struct AutoPlace {
  bool (*here)(const Host& host) = nullptr;  // this process is there; null: there is no such place
  std::string_view inside = {};              // "this is ...", as prose
  std::string_view outside = {};             // "this is no ..."
  Warning stays = {};  // of `auto` there without the section: the command runs in that place itself
};

struct Backend {
  Containment containment = {};
  Support (*probe)(const Host& host, ProbeDepth depth) = nullptr;
  Result<Plan> (*plan)(const Policy& policy, const Support& support) = nullptr;
  Explanation explain = {};
  // What the user can do when the kernel refuses isolation that the probe took for possible; null: the error
  // itself says all.
  std::string (*refusal_hint)(const Host& host) = nullptr;
  AutoPlace place = {};  // of one with ContainmentTraits::auto_in_place
};

}  // namespace mxc
