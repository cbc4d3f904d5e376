// Looks for the hosts that lines ask for where the gateway knows no protocol of what is said: a Host, a
// request line of HTTP. Whatever stands around them, and however servers read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/net/bytes.h"

namespace mxc::egress {

struct AskedHost {
  std::string name = {};   // in the one form of ValidName
  std::uint16_t port = 0;  // behind the name; 0: none
};

class RequestLines {
 public:
  // The next bytes, in pieces as they come: what the lines that end in them ask for.
  [[nodiscard]] std::vector<AskedHost> Feed(ByteView bytes);
  // No more follow.
  [[nodiscard]] std::vector<AskedHost> End();

 private:
  void ReadLine(std::string_view line, std::vector<AskedHost>& hosts);
  void EndPart(std::vector<AskedHost>& hosts);
  void EndLine(std::vector<AskedHost>& hosts);

  std::string line_ = {};
  std::size_t part_ = 0;    // where in it a lone CR ended a line, to some servers
  bool continues_ = false;  // a line that begins with a blank goes on with the value of a Host
};

}  // namespace mxc::egress
