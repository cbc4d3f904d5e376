// What `protect` names where no mount holds it: it is put back, while the command runs and when it has ended.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mxc/file_object.h"

namespace mxc {

struct GuardedPath {
  std::string path = {};   // canonical
  std::string grant = {};  // the read-write directory that it is in; nothing is renamed above that
  std::optional<FileObject> object = {};  // none: nothing stands there
};

// One that was not what it had been, and is again.
struct PutBackPath {
  std::string path = {};
  std::string aside = {};    // where what stood there is now; "" when nothing did
  std::string failure = {};  // why it is not what it was; "" when it is
  bool gone = false;         // nothing stands there: what did was moved away, or removed
};

struct PutBackReport {
  std::vector<PutBackPath> paths = {};
  bool ended = false;  // the command, because it went on
};

}  // namespace mxc
