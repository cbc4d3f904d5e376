#include "stdio/output_filter.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace mxc {

OutputFilter::OutputFilter(std::uint64_t max_bytes, std::optional<RedactionRules> redaction)
    : room_(max_bytes != 0 ? max_bytes : std::numeric_limits<std::uint64_t>::max()) {
  if (redaction) redactor_.emplace(std::move(*redaction));
}

void OutputFilter::Feed(std::string_view bytes, std::string& out) {
  if (!redactor_) return Append(bytes, out);
  std::string text;
  redactor_->Feed(bytes, text);
  Append(text, out);
}

void OutputFilter::Idle(std::string& out) {
  if (!redactor_) return;
  std::string text;
  redactor_->Idle(text);
  Append(text, out);
}

void OutputFilter::Finish(std::string& out) {
  if (!redactor_) return;
  std::string text;
  redactor_->Finish(text);
  Append(text, out);
}

void OutputFilter::Append(std::string_view text, std::string& out) {
  head_.append(text.substr(0, kMaxHeadBytes - std::min(kMaxHeadBytes, head_.size())));
  if (text.size() > room_) {
    truncated_ = true;
    text = text.substr(0, static_cast<std::size_t>(room_));
  }
  room_ -= text.size();
  out.append(text);
}

OutputFilter FilterFor(const Plan& plan) {
  const Output& output = plan.output;
  if (!output.redact_secrets && !output.redact_pii) return OutputFilter(output.max_bytes);
  return OutputFilter(output.max_bytes,
                      RedactionRules{.secrets = output.redact_secrets,
                                     .pii = output.redact_pii,
                                     .values = SecretValues(CommandEnvironment(plan.launch))});
}

}  // namespace mxc
