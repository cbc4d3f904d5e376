// Containers that reach the loopback of this machine. Windows keeps one list for all programs: it is read,
// changed and written as a whole, which takes an administrator, and nothing but the container that is meant
// changes in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"

namespace mxc {

struct Exemption {
  std::string sid = {};  // of the container, as bytes
  std::uint32_t attributes = 0;

  bool operator==(const Exemption& other) const = default;
};

class ExemptionStore {
 public:
  ExemptionStore() = default;
  ExemptionStore(const ExemptionStore&) = delete;
  ExemptionStore& operator=(const ExemptionStore&) = delete;
  virtual ~ExemptionStore() = default;

  // Errors: kUnavailable without an administrator; kSetupFailed.
  [[nodiscard]] virtual Result<std::vector<Exemption>> Read() = 0;
  [[nodiscard]] virtual Status Write(const std::vector<Exemption>& exemptions) = 0;
};

[[nodiscard]] Result<bool> IsExempt(ExemptionStore& store, std::string_view sid);
// Errors: those of the store; kSetupFailed where the list does not say so afterwards.
[[nodiscard]] Status Exempt(ExemptionStore& store, std::string_view sid);
[[nodiscard]] Status EndExemption(ExemptionStore& store, std::string_view sid);

}  // namespace mxc
