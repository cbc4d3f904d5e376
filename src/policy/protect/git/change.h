// What a run has changed for git on the host.
#pragma once

#include <string>

namespace mxc {

struct GitChange {
  enum class Kind {
    kNew,      // a repository, or a .git that leads to one
    kTakenUp,  // the same, in or above one that stood there before, and it has git run something: git in the
               // old one comes by here
    kInstructions,  // of an unfinished operation, or a remote: git may run something of these
    kReplaced,      // what was held, by somebody outside
    kYoung,         // an existing repository that is younger than another run that went on meanwhile, and has
                    // git run something
    kLinkTurned,    // a protected link
    kPassage,       // among git's data: git would write or delete something else through it
    kIndex,         // that cannot be read, or lists more than files of the work tree
    kList,          // of paths, which git would write, delete or copy: they lead out of what is the command's
    kUnlisted,      // a directory that may hold a repository: it cannot be listed
    kOpened,        // one on the way to what is held, to other users; it is closed to them again
    kListed,        // one that could not be listed, and can be again
    kFoundByName,   // a program on the caller's PATH, or what a command line may name: new or changed
    kStaged,        // what an index lists makes a repository when it is checked out
    kConfig,        // of a repository, which the command could write: it says what it must not
  };
  Kind kind = Kind::kNew;
  std::string path = {};
  std::string part = {};  // without which git takes no notice of it; not of kNew and kReplaced
  std::string into = {};  // a directory where git takes no notice of it under another name; "": where it is
  std::string text =
      {};  // of kLinkTurned: where it led before; "" when it leads there; of kConfig: what stood there
  std::string why = {};  // of kConfig
};

}  // namespace mxc
