// The files that a child inherits, opened in the order of Exec::files, because the arguments in one file name
// the descriptors of earlier ones.
//
//   Result<OpenedFiles> files = OpenFiles(exec.files, lowest);
//   const std::string argument = Render(piece, files->files);
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "mxc/error.h"
#include "mxc/plan.h"

namespace mxc {

struct OpenedFiles {
  std::vector<UniqueFd> files = {};  // one for each InheritedFile; close-on-exec until the child clears it
  UniqueFd status = {};              // our end of the StatusPipe, non-blocking; empty without one
  UniqueFd info = {};                // our end of the InfoPipe; empty without one
  UniqueFd block = {};               // our end of the BlockPipe; empty without one
};

// Every descriptor is at least `lowest`. `sockets`: borrowed; each SessionSocket becomes a copy of the next.
// Errors: kSetupFailed, naming the path that could not be opened or that is no longer the object the policy
// was resolved for.
[[nodiscard]] Result<OpenedFiles> OpenFiles(const std::vector<InheritedFile>& list, int lowest,
                                            std::span<const int> sockets = {});

// For masks, which bubblewrap can mount by name only: checks that each path is still the object the policy
// was resolved for. Errors: as above.
[[nodiscard]] Status VerifyPaths(const std::vector<PathFile>& paths);

// A sealed memfd with this text. Errors: kSetupFailed.
[[nodiscard]] Result<UniqueFd> SealedFile(const char* name, std::string_view text);

// The text of `piece`. Reveals a Secret, on its way to the kernel.
[[nodiscard]] std::string Render(const Piece& piece, const std::vector<UniqueFd>& files);

}  // namespace mxc
