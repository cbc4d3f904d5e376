#include "report/audit_chain.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hash/sha256.h"

namespace mxc {
namespace {

constexpr std::string_view kMember = ",\"previous\":\"";
constexpr std::size_t kHashDigits = 2 * Sha256::kBytes;

Error Broken(std::string message) { return {.code = ErrorCode::kSchema, .message = std::move(message)}; }

std::string TextOf(const nlohmann::json& record, const char* member) {
  const auto found = record.find(member);
  return found != record.end() && found->is_string() ? found->get<std::string>() : "";
}

std::set<std::string> TextsOf(const nlohmann::json& record, const char* member) {
  std::set<std::string> texts;
  const auto found = record.find(member);
  if (found == record.end() || !found->is_array()) return texts;
  for (const nlohmann::json& text : *found) {
    if (text.is_string()) texts.insert(text.get<std::string>());
  }
  return texts;
}

}  // namespace

std::string ChainStart() { return std::string(kHashDigits, '0'); }

std::string WithPrevious(std::string_view line, std::string_view previous,
                         const std::vector<std::string>& killed) {
  constexpr std::string_view kEnd = "}\n";
  std::string text(line.substr(0, line.size() - kEnd.size()));
  if (!killed.empty()) text += ",\"killed\":" + nlohmann::json(killed).dump();
  text += kMember;
  text += previous;
  text += "\"}\n";
  return text;
}

std::string LineHash(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return Sha256Text(line);
}

bool IsLineHash(std::string_view text) {
  return text.size() == kHashDigits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Status AuditChain::Take(std::string_view line) {
  const nlohmann::json record = nlohmann::json::parse(line, nullptr, false);
  if (!record.is_object()) return Broken("it is no record: a JSON object is expected");
  if (Status linked = Link(TextOf(record, "previous"), TextsOf(record, "killed")); !linked) return linked;
  ++lines_;
  head_ = LineHash(line);
  missing_.erase(head_);
  const std::string event = TextOf(record, "event");
  const std::string run = TextOf(record, "run");
  if (event == "begin") open_.insert(run);
  if (event == "end") open_.erase(run);
  return Done{};
}

Status AuditChain::Link(const std::string& previous, const std::set<std::string>& killed) {
  const bool chained = lines_ > unchained_;
  if (previous.empty() && !chained) {
    ++unchained_;
    return Done{};
  }
  if (previous == head_ || (chained && killed.contains(head_))) return Done{};
  bool anchored = lines_ == 0 && missing_.erase(previous) != 0;
  for (const std::string& hash : killed) anchored = (lines_ == 0 && missing_.erase(hash) != 0) || anchored;
  if (anchored) return Done{};
  if (lines_ == 0 && IsLineHash(previous))
    return Broken("it goes on after a line " + previous +
                  ", which is not here: an earlier file was left out, or lines were removed");
  return Broken(
      "it does not name the line before it: one of the two was changed, or lines were removed, "
      "inserted or reordered");
}

Status AuditChain::Finish() const {
  if (missing_.empty()) return Done{};
  return Broken("the line " + *missing_.begin() +
                " was in this log and is no longer: it was cut off, or all was written anew");
}

}  // namespace mxc
