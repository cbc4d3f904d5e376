// Answers what a container may do to a file, from the entries of its plan, the way Windows decides: the lists
// of the object, then what it inherits, the nearer directory first; denials before grants of the same list;
// the first entry that names a right decides about it.
//
// The user's own access is taken as given: an AppContainer never has more.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/windows/app_container.h"

namespace mxc {

class GrantModel {
 public:
  // `readable_by_all`: what ALL APPLICATION PACKAGES may read, as Windows comes.
  explicit GrantModel(const AppContainerSandbox& sandbox,
                      std::vector<std::string> readable_by_all = {"C:\\Windows", "C:\\Program Files"});

  [[nodiscard]] bool May(std::string_view path, std::uint32_t rights) const;
  [[nodiscard]] bool MayRead(std::string_view path) const { return May(path, 0x1); }   // FILE_READ_DATA
  [[nodiscard]] bool MayWrite(std::string_view path) const { return May(path, 0x2); }  // FILE_WRITE_DATA
  [[nodiscard]] bool MayDelete(std::string_view path) const { return May(path, 0x10000); }

 private:
  std::vector<AclChange> entries_;
};

}  // namespace mxc
