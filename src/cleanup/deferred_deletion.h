// Puts in order what a command has left: renames what must not be found under its name, and restores files.
#pragma once

#include <string>
#include <string_view>

#include "mxc/error.h"

namespace mxc {

// Renames the object at `path` to "NAME.untrusted", or to a random name, in the directory `into` ("": the
// same one), and returns the new path. Follows no links: both paths must still be canonical. Errors:
// kSetupFailed.
[[nodiscard]] Result<std::string> SetAside(const std::string& path, const std::string& into);
// Creates a symbolic link and its missing parent directories. Errors: kSetupFailed, also if `path` exists.
[[nodiscard]] Status MakeLink(const std::string& path, const std::string& text);

// Replaces the object at `path` by a file with `text`, with its owner and at most its rights. Renames the old
// object, and empties or removes it if the file system is full; returns its new path, "" if there is none.
// Errors: kSetupFailed; the old object may have been renamed or removed then.
[[nodiscard]] Result<std::string> PutBack(const std::string& path, std::string_view text, unsigned mode);

// Gives the caller all rights in their own directory if they cannot list it. False: nothing was changed.
[[nodiscard]] bool RestoreListing(const std::string& path);

}  // namespace mxc
