// Here-documents of a shell: "<<'END'", and the lines up to "END".
#pragma once

#include <string>
#include <string_view>

namespace mxc {

struct HereDocument {
  std::string delimiter = {};
  bool quoted = false;  // nothing of it is expanded
  bool strips_tabs = false;
};

// Behind "<<".
[[nodiscard]] HereDocument TakeHereDocument(std::string_view& rest, bool dollar_quotes);
// Its lines, without the delimiter's. False: no such line ends them.
[[nodiscard]] bool TakeBody(const HereDocument& document, std::string_view& rest, std::string& body);

}  // namespace mxc
