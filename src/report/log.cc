#include "report/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <mutex>
#include <utility>
#include <vector>

#include "base/own_files.h"
#include "base/quoted.h"
#include "report/hidden_values.h"

namespace mxc {
namespace {

class DescriptorSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  DescriptorSink(int borrowed_fd, UniqueFd owned) : fd_(borrowed_fd), owned_(std::move(owned)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {  // NOLINT(readability-identifier-naming)
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    [[maybe_unused]] const std::int64_t written = WriteSome(fd_, {line.data(), line.size()});
  }
  void flush_() override {}  // NOLINT(readability-identifier-naming)

 private:
  int fd_;
  UniqueFd owned_;
};

std::shared_ptr<DescriptorSink> MakeSink(int borrowed_fd, UniqueFd owned, const char* pattern) {
  auto sink = std::make_shared<DescriptorSink>(borrowed_fd, std::move(owned));
  sink->set_formatter(
      std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::local, "\n"));
  return sink;
}

}  // namespace

Log::Log(bool debug, const std::string& file, std::string& problem) : debug_(debug) {
  std::vector<spdlog::sink_ptr> sinks;
  if (debug) sinks.push_back(MakeSink(STDOUT_FILENO, UniqueFd{}, "%v"));
  if (!file.empty()) {
    Result<UniqueFd> fd = OpenOwnFile("log file", file, OwnFile::kLog);
    if (!fd) {
      problem = fd.error().message;
    } else {
      const int number = fd->Get();
      sinks.push_back(MakeSink(number, std::move(*fd), "[%E] %v"));
    }
  }
  if (!sinks.empty()) logger_ = std::make_shared<spdlog::logger>("mxc-exec", sinks.begin(), sinks.end());
}

void Log::Line(const std::string& text) {
  if (logger_) logger_->info(WithoutHiddenValues(Escaped(text)));
}

}  // namespace mxc
