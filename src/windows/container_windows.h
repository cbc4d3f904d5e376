// The profile of an AppContainer and the identities its token is made of.
#pragma once

#include <windows.h>

#include <memory>
#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/windows/app_container.h"

namespace mxc {

struct FreeSidMemory {
  void operator()(void* sid) const { ::FreeSid(sid); }
};
using OwnedSid = std::unique_ptr<void, FreeSidMemory>;

class Container {
 public:
  // Makes the profile, or takes the one that is there. An empty name in `sandbox`: a new one, deleted with
  // this object. Errors: kUnavailable where Windows has none; kSetupFailed.
  [[nodiscard]] static Result<Container> Make(const AppContainerSandbox& sandbox);
  Container(Container&& other) noexcept;
  Container& operator=(Container&&) = delete;
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;
  ~Container();

  // For CreateProcess; as long as this object.
  [[nodiscard]] SECURITY_CAPABILITIES* Capabilities() { return &capabilities_; }
  [[nodiscard]] const std::string& Name() const { return name_; }
  [[nodiscard]] std::string SidBytes() const;
  // Of a profile that is to be deleted with the run; empty: it stays.
  [[nodiscard]] std::string ProfileToDelete() const { return own_ ? name_ : ""; }

 private:
  Container() = default;
  [[nodiscard]] Status MakeProfile();
  [[nodiscard]] Status AddCapabilities(const std::vector<std::string>& names);

  std::string name_;
  bool own_ = false;  // made for this run
  OwnedSid sid_;
  std::vector<std::unique_ptr<std::byte[]>> capability_sids_;
  std::vector<SID_AND_ATTRIBUTES> attributes_;
  SECURITY_CAPABILITIES capabilities_ = {};
};

// What is not there is no error.
void DeleteProfile(const std::string& name);

}  // namespace mxc
