// The log: --debug prints it on standard output as it grows, --log-file appends it; otherwise it is not kept.
//
// Lines of the file are "[<unix seconds>] text", as the SDKs expect. Values of hidden_values.h are in none.
#pragma once

#include <memory>
#include <string>

#include "mxc/error.h"

namespace spdlog {
class logger;
}

namespace mxc {

class Log {
 public:
  // A log file that cannot be opened is no reason to stop: `problem` then says why.
  Log(bool debug, const std::string& file, std::string& problem);

  void Line(const std::string& text);
  [[nodiscard]] bool OnStandardOutput() const { return debug_; }

 private:
  bool debug_;
  std::shared_ptr<spdlog::logger> logger_ = {};  // absent: nothing listens
};

}  // namespace mxc
