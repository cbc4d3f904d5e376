#include "report/redact.h"

#include <algorithm>
#include <iterator>

#include "mxc/fold.h"

namespace mxc {
namespace {

void Collect(std::string_view name, const Secret& value, std::vector<std::string>& values) {
  if (LooksSecret(name) && value.size() >= kMinValueBytes) values.push_back(value.Reveal());
}

std::vector<std::string> Known(const RedactionRules& rules) {
  std::vector<std::string> values;
  if (!rules.secrets) return values;
  for (const std::string& value : rules.values) {
    const std::string_view kept = std::string_view(value).substr(0, value.find_last_not_of("\r\n") + 1);
    if (kept.size() >= kMinValueBytes) values.emplace_back(kept);
  }
  return values;
}

}  // namespace

bool LooksSecret(std::string_view variable_name) {
  static constexpr std::string_view kSigns[] = {
      "token",   "secret",     "passw",       "passphrase", "credential",        "auth",   "apikey",
      "api_key", "access_key", "private_key", "bearer",     "connection_string", "cookie", "sshpass"};
  static constexpr std::string_view kLastWords[] = {"key", "keys", "pass", "pat", "pwd", "dsn"};
  std::string name = Folded(variable_name);
  std::erase_if(name, [](char c) { return c >= '0' && c <= '9'; });
  const auto holds = [&](std::string_view sign) { return name.find(sign) != std::string::npos; };
  if (std::any_of(std::begin(kSigns), std::end(kSigns), holds)) return true;
  // Whole words, and not the first: DB_PASS, but neither DB_PATH nor PWD.
  return std::any_of(std::begin(kLastWords), std::end(kLastWords), [&](std::string_view word) {
    return (name + '_').find('_' + std::string(word) + '_') != std::string::npos;
  });
}

std::vector<std::string> SecretValues(const std::vector<Variable>& environment) {
  std::vector<std::string> values;
  for (const Variable& variable : environment) Collect(variable.name, variable.value, values);
  return values;
}

Redactor::Redactor(const RedactionRules& rules)
    : secrets_(rules.secrets), values_(Known(rules)), shapes_(rules.secrets, rules.pii) {}

void Redactor::Feed(std::string_view bytes, std::string& out) {
  end_ += bytes.size();
  window_.Append(bytes);
  if (secrets_) values_.Feed(bytes, window_);
  if (secrets_) named_.Feed(bytes, window_);
  shapes_.Feed(bytes, ShapeScanner::Mode::kMore, window_);
  Write(out);
}

void Redactor::Idle(std::string& out) {
  shapes_.Feed({}, ShapeScanner::Mode::kIdle, window_);
  Write(out);
}

void Redactor::Finish(std::string& out) {
  named_.Finish(window_);
  shapes_.Feed({}, ShapeScanner::Mode::kEnd, window_);
  window_.WriteUpTo(end_, out);
}

void Redactor::Write(std::string& out) {
  const std::uint64_t exact = secrets_ ? std::min(values_.Settled(), named_.Settled()) : end_;
  window_.WriteUpTo(std::min(exact, shapes_.Settled()), out);
}

}  // namespace mxc
