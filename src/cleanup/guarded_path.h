// A protected path that no mount protects: it is restored while the command runs and when it has ended.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mxc/file_object.h"

namespace mxc {

struct GuardedPath {
  std::string path = {};   // canonical
  std::string grant = {};  // the read-write directory that it is in; nothing is renamed above that
  std::optional<FileObject> object = {};  // absent: the path does not exist, or is a link
  std::string link = {};                  // to what the path is a link; "": it is none
};

// A path that had changed and was restored.
struct PutBackPath {
  std::string path = {};
  std::string aside = {};    // new path of the object that was there; "": there is none
  std::string failure = {};  // why it could not be restored; "": it was
  bool gone = false;         // the path is missing now: the original was moved away or removed
  bool missing = false;      // with a failure: nothing stands at the path now
};

struct PutBackReport {
  std::vector<PutBackPath> paths = {};
  bool ended = false;  // the command was killed, because it did not stop changing them
};

}  // namespace mxc
