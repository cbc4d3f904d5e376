// Looks for hosts in the lines of an unknown protocol: Host headers and HTTP request lines, whatever is
// around them, and however servers read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/net/bytes.h"

namespace mxc::egress {

struct AskedHost {
  std::string name = {};   // ValidName
  std::uint16_t port = 0;  // behind the name; 0: none
};

// Adds each word of `text` that could be a host: which of them a server takes is not known.
void AddHostsIn(std::string_view text, std::vector<AskedHost>& hosts);

class RequestLines {
 public:
  // To be called with the next bytes, in any pieces: the hosts in lines that end in them.
  [[nodiscard]] std::vector<AskedHost> Feed(ByteView bytes);
  // The stream has ended.
  [[nodiscard]] std::vector<AskedHost> End();

 private:
  void ReadLine(std::string_view line, std::vector<AskedHost>& hosts);
  void EndPart(std::vector<AskedHost>& hosts);
  void EndLine(std::vector<AskedHost>& hosts);

  std::string line_ = {};
  std::size_t part_ = 0;    // offset behind a lone CR, which ends a line for some servers
  bool continues_ = false;  // a line that begins with a blank would continue a Host header
};

}  // namespace mxc::egress
