// Which flag gave a member of the document, for messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"

namespace mxc {

// A member of the document that a flag has given.
struct FlagPlace {
  std::string pointer = {};
  std::string flag = {};       // "--rw build", fit for a shell; of --env without the value
  bool container = false;      // made to hold it: what else comes to be in there is not the flag's
  std::string overruled = {};  // a stricter member of the document stays: why the flag has given nothing
};

// The flag that gave the member at `pointer`, or what it is in; empty: none.
[[nodiscard]] std::string_view FlagAt(const std::vector<FlagPlace>& places, std::string_view pointer);
// An error about what a flag has given names the flag.
void NameFlags(const std::vector<FlagPlace>& places, Error& error);
// ... and advises in flags where no configuration file was given.
void NameFlags(const std::vector<FlagPlace>& places, bool has_config, Error& error);
// So do warnings, and all of a policy without a configuration file.
void NameFlags(const std::vector<FlagPlace>& places, bool has_config, std::vector<Warning>& warnings);
// Words of advice: --rw for readwritePaths.
[[nodiscard]] std::string InFlags(std::string text);

}  // namespace mxc
