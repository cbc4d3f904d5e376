// What the launcher says to the mxc-exec in a pod on its standard input, and how that one ends its streams.
//
// An exec through the API server says that it has ended, also when its connection was cut; its exit status
// alone proves nothing. So the mxc-exec inside ends standard output and standard error with a mark that only
// the launcher and it know, and the outcome stands behind the mark of standard error: a stream without its
// mark is incomplete. The command never has the mark: what tells it is read from standard input before the
// command is started.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace mxc::kubernetes {

// The flags with which the program is started in a pod: `mxc-exec --in-pod [NAME]`, and
// `mxc-exec --end-in-pod NAME`, which ends those whose name begins with that.
inline constexpr const char* kInPodFlag = "--in-pod";
inline constexpr const char* kEndInPodFlag = "--end-in-pod";

inline constexpr std::size_t kHeaderBytes = 64;
inline constexpr std::size_t kMaxPodDocument = std::size_t{4} << 20U;

struct PodHeader {
  std::string token = {};    // 32 hexadecimal digits
  std::size_t document = 0;  // bytes of the configuration, which follows; then comes the command's input
};

[[nodiscard]] std::string HeaderText(const PodHeader& header);  // kHeaderBytes
[[nodiscard]] std::optional<PodHeader> ReadHeader(std::string_view text);

[[nodiscard]] std::string MarkOf(std::string_view token);

// One stream, as it comes. What might be the beginning of the mark is held back.
class MarkedStream {
 public:
  explicit MarkedStream(std::string_view token) : mark_(MarkOf(token)) {}

  // What may be passed on.
  [[nodiscard]] std::string Feed(std::string_view bytes);
  // What was held back, when the stream has ended without its mark.
  [[nodiscard]] std::string Rest();
  [[nodiscard]] bool Complete() const { return complete_; }
  [[nodiscard]] const std::string& Behind() const { return behind_; }  // the mark; bounded

 private:
  std::string mark_;
  std::string held_ = {};
  std::string behind_ = {};
  bool complete_ = false;
};

}  // namespace mxc::kubernetes
