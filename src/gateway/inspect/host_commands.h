// Finds FTP's HOST (RFC 7151), by which a client chooses among the hosts of one server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/inspect/request_lines.h"
#include "gateway/net/bytes.h"

namespace mxc::egress {

class HostCommands {
 public:
  // To be called with the client's next bytes, in any pieces: adds the hosts that lines ending in them ask
  // for. False: such a line names none or several, or what a server would read in it is not known.
  [[nodiscard]] bool Feed(ByteView bytes, std::vector<AskedHost>& hosts);

 private:
  bool EndLine(std::vector<AskedHost>& hosts);

  std::string line_ = {};
  // The line without NUL.
  struct JoinedLine {
    std::string text = {};
    bool joined = false;  // NUL stands in it

    void Add(std::uint8_t byte);
    [[nodiscard]] bool AsksForHost() const;
  } joined_ = {};
};

}  // namespace mxc::egress
