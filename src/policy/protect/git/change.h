// What a run has changed for git on the host.
#pragma once

#include <string>

namespace mxc {

struct GitChange {
  enum class Kind {
    kNew,      // a repository, or a .git that leads to one
    kTakenUp,  // the same, in or above an existing one, where git in that one finds it, and with something
               // that git would execute
    kInstructions,  // of an unfinished operation, or a remote, from which git may execute something
    kReplaced,      // a held path, replaced from outside
    kYoung,         // an existing repository with something that git executes, changed since another
                    // overlapping run began
    kLinkTurned,    // a protected link
    kPassage,       // among git's data, through which git would write or delete another file
    kIndex,         // an index that cannot be read, or lists more than files of the work tree
    kList,          // a list of paths that git would write, delete or copy, outside the command's reach
    kUnlisted,      // a directory that may hold a repository: it cannot be listed
    kOpened,        // a directory above held paths, to other users; closed to them again
    kListed,        // a directory that could not be listed, and can be again
    kFoundByName,   // a program on the caller's PATH, or a file that a command line may name: new or changed
    kStaged,        // entries of an index that make a repository when they are checked out
    kConfig,        // a writable configuration of a repository: a change that is not allowed
  };
  Kind kind = Kind::kNew;
  std::string path = {};
  std::string part = {};  // the file without which git ignores the change; not for kNew and kReplaced
  std::string into = {};  // directory in which git ignores it under another name; "": its own
  std::string text =
      {};  // of kLinkTurned: its earlier target, "" if that is unchanged; of kConfig: the earlier text
  std::string why = {};  // of kConfig
};

}  // namespace mxc
