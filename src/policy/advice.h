// What --report advises about a file that the policy kept from the command: the least that lets the command
// do what it tried, and nothing that opens a secret or a directory with more in it than one command needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/file_call.h"
#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/paths/paths.h"

namespace mxc {

// Whether `path` belongs to the baseline, which every sandbox shows.
[[nodiscard]] bool IsSystemFile(std::string_view path);

class Adviser {
 public:
  explicit Adviser(const Host& host);  // borrowed; secrets are looked for once

  // Fills `grant`, `make` and `profile`, or `advice`, of the denial of `call`, which asked for `walked`.
  // `rule`: the one that decided, if it has no clause; nullptr: none.
  void Advise(const FileCall& call, const Walked& walked, const PathRule* rule, FileDenial& denial) const;
  // The directories that show the target of `walked` and each link on the way: the one above all of them,
  // unless it shows too much.
  [[nodiscard]] std::vector<std::string> DirectoriesOf(const Walked& walked) const;
  // Whether `path` is for secrets, of the system or of the caller's home, or `rule` hides it as such.
  [[nodiscard]] bool IsForSecrets(std::string_view path, const PathRule* rule = nullptr) const;
  // Advice about `path`, which is for secrets.
  [[nodiscard]] std::string InsteadOfSecret(std::string_view path) const;
  // Whether a grant of the directory would show more than one command needs.
  [[nodiscard]] bool ShowsTooMuch(std::string_view directory) const;
  [[nodiscard]] const std::string& Home() const { return home_; }  // the caller's, canonical; "": none

 private:
  // Whether programs outside run `path`: by the table of the preset `shell`, in the caller's home.
  [[nodiscard]] bool IsRunOutside(std::string_view path) const;
  [[nodiscard]] bool HoldsWhatRunsOutside(std::string_view directory) const;
  [[nodiscard]] std::string ProfileInsteadOf(std::string_view path) const;

  std::string home_ = {};
  std::vector<std::string> secrets_ = {};  // canonical paths of those that exist
};

}  // namespace mxc
