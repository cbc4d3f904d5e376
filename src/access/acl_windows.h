// Access control lists of files, read from and written to the file system.
#pragma once

#include <windows.h>

#include <cstddef>
#include <string>
#include <vector>

#include "access/acl.h"

namespace mxc {

[[nodiscard]] Acl ListOf(PACL list);
// As Windows takes it.
[[nodiscard]] std::vector<std::byte> BytesOf(const Acl& list);

class WindowsAcls final : public AclStore {
 public:
  [[nodiscard]] Result<std::optional<Acl>> Read(const std::string& path) override;
  [[nodiscard]] Status Write(const std::string& path, const Acl& list) override;
};

}  // namespace mxc
