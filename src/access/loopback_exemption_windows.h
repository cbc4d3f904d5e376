// The exemptions of this machine, as the firewall of Windows keeps them.
#pragma once

#include <string_view>
#include <vector>

#include "access/loopback_exemption.h"

namespace mxc {

class WindowsExemptions final : public ExemptionStore {
 public:
  [[nodiscard]] Result<std::vector<Exemption>> Read() override;
  [[nodiscard]] Status Write(const std::vector<Exemption>& exemptions) override;
};

}  // namespace mxc
