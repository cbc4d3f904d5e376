#include "report/hidden_values.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/lists.h"
#include "base/quoted.h"
#include "mxc/fold.h"
#include "mxc/json.h"
#include "report/redact.h"
#include "report/redact_window.h"

namespace mxc {
namespace {

using Record = nlohmann::ordered_json;

// Folded, in every form that may stand in a text.
struct Hidden {
  std::mutex mutex = {};
  std::vector<std::string> forms = {};
};

Hidden& TheHidden() {
  static Hidden hidden;
  return hidden;
}

std::vector<std::string> Forms() {
  Hidden& hidden = TheHidden();
  const std::lock_guard lock(hidden.mutex);
  return hidden.forms;
}

std::string WithoutQuotes(const std::string& json) { return json.substr(1, json.size() - 2); }

bool IsPathOfThisHost(const std::string& value) {
  std::error_code unknown;
  const std::filesystem::path path(value);
  return path.is_absolute() && std::filesystem::exists(std::filesystem::symlink_status(path, unknown));
}

// A DNS server may get a name in other letters than the command wrote.
std::string Without(const std::vector<std::string>& forms, std::string_view text) {
  const std::string folded = Folded(text);
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (const std::string& form : forms) {
    for (std::size_t at = 0; (at = folded.find(form, at)) != std::string::npos; ++at)
      found.emplace_back(at, at + form.size());
  }
  std::sort(found.begin(), found.end());
  std::string shown;
  std::size_t end = 0;
  for (const auto& [from, to] : found) {
    if (from > end || (from == 0 && end == 0)) {
      shown += text.substr(end, from - end);
      shown += kRedacted;
    }
    end = std::max(end, to);
  }
  return shown.append(text.substr(end));
}

// What programs compare, never what a command has named.
bool IsOurWord(std::string_view member) {
  constexpr std::string_view kMembers[] = {
      "backend",  "category", "clause",   "code",       "containment", "event",   "kind", "killed",
      "phase",    "pointer",  "previous", "policyHash", "protocol",    "reached", "run",  "rung",
      "strength", "tier",     "time",     "use",        "verdict",     "version"};
  return std::find(std::begin(kMembers), std::end(kMembers), member) != std::end(kMembers);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as our own records
void Hide(const std::vector<std::string>& forms, Record& record) {
  if (record.is_string()) record = Without(forms, record.get<std::string>());
  if (record.is_array()) {
    for (Record& element : record) Hide(forms, element);
  }
  if (!record.is_object()) return;
  for (auto member = record.begin(); member != record.end(); ++member) {
    if (!IsOurWord(member.key())) Hide(forms, member.value());
  }
}

// As names that a command looks up: in one label, or one for each piece between dots.
std::vector<std::string> AsNames(std::string_view value) {
  std::string labels;
  for (const char& c : value) labels += c == '.' ? "." : EscapedLabel({&c, 1});
  return {EscapedLabel(value), labels};
}

void AddForms(std::string_view value, std::vector<std::string>& forms) {
  for (const std::string& written : {std::string(value), WithoutQuotes(Quoted(value))}) {
    const std::string json = JsonString(written);
    for (const std::string& form :
         {written, Escaped(written), WithoutQuotes(json), WithoutQuotes(EscapedJson(json)),
          Record::parse(json).get<std::string>()}) {
      std::string folded = Folded(form);
      if (std::find(forms.begin(), forms.end(), folded) == forms.end()) forms.push_back(std::move(folded));
    }
  }
}

// As a path of it is told, and a host name: "a//./b/" is "a/b", "a." is "a".
std::vector<std::string> AsTold(std::string_view value) {
  std::vector<std::string> told = {std::string(value), value.starts_with('/') ? "/" : ""};
  for (std::string_view rest = value; !rest.empty();) {
    const std::string_view component = TakePiece(rest, '/');
    if (!component.empty() && component != ".") told[1].append(component).append("/");
  }
  for (std::string& each : told) each.erase(each.find_last_not_of("/.") + 1);
  return told;
}

}  // namespace

void HideValues(const std::vector<Variable>& environment) {
  Hidden& hidden = TheHidden();
  const std::lock_guard lock(hidden.mutex);
  for (std::string value : SecretValues(environment)) {
    value.erase(value.find_last_not_of("\r\n") + 1);
    if (IsPathOfThisHost(value)) continue;
    std::vector<std::string> all = AsTold(value);
    all.push_back(std::move(value));
    for (const std::string& each : all) {
      if (each.size() < kMinValueBytes || IsPathOfThisHost(each)) continue;
      AddForms(each, hidden.forms);
      for (const std::string& name : AsNames(each)) AddForms(name, hidden.forms);
    }
  }
}

void HideAssigned(const std::vector<std::string>& variables) {
  std::vector<Variable> environment;
  for (const std::string& text : variables) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) continue;
    environment.push_back({.name = text.substr(0, equals), .value = Secret{text.substr(equals + 1)}});
  }
  HideValues(environment);
}

void HideValuesIn(std::string_view configuration) {
  const Record whole = Record::parse(configuration, nullptr, false);
  if (!whole.is_object()) return;
  std::vector<std::string> variables;
  for (const Record& variable : whole.value(Record::json_pointer("/process/env"), Record()))
    if (variable.is_string()) variables.push_back(variable.get<std::string>());
  HideAssigned(variables);
}

std::string WithoutHiddenValues(std::string_view text) { return Without(Forms(), text); }

std::string RecordWithoutHiddenValues(std::string_view json) {
  const std::vector<std::string> forms = Forms();
  if (forms.empty()) return std::string(json);
  Record record = Record::parse(json, nullptr, false);
  if (record.is_discarded()) return Without(forms, json);
  const Record before = record;
  Hide(forms, record);
  if (record == before) return std::string(json);
  return EscapedJson(record.dump(-1, ' ', false, Record::error_handler_t::replace)) +
         (json.ends_with('\n') ? "\n" : "");
}

}  // namespace mxc
