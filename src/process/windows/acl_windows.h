// Access control lists of files, read from and written to the file system.
#pragma once

#include <string>

#include "process/acl.h"

namespace mxc {

class WindowsAcls final : public AclStore {
 public:
  [[nodiscard]] Result<std::optional<Acl>> Read(const std::string& path) override;
  [[nodiscard]] Status Write(const std::string& path, const Acl& list) override;
};

}  // namespace mxc
