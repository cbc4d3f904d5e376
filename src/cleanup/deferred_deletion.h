// What a command has left, put in order: names are taken away from what must not be found under them.
#pragma once

#include <string>
#include <string_view>

#include "mxc/error.h"

namespace mxc {

// Renames what stands at `path` to "NAME.untrusted", or one that nobody can foresee, in the directory `into`,
// "" for the same; the new path. No link is followed on the way: both are as canonical as when they were
// found. Errors: kSetupFailed.
[[nodiscard]] Result<std::string> SetAside(const std::string& path, const std::string& into);
// Makes a symbolic link where nothing stands, and the directories above it that are missing. Errors:
// kSetupFailed.
[[nodiscard]] Status MakeLink(const std::string& path, const std::string& text);

// Puts a file with `text` at `path`, with the owner and at most the rights of what stands there, which is set
// aside, and emptied where the file system has no room: its new path, "" when nothing was there. Errors:
// kSetupFailed; what could be set aside is.
[[nodiscard]] Result<std::string> PutBack(const std::string& path, std::string_view text, unsigned mode);

// Gives the caller all rights in a directory of theirs that they cannot list. False: it is as it was.
[[nodiscard]] bool RestoreListing(const std::string& path);

}  // namespace mxc
