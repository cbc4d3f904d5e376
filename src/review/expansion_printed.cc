// What a command prints: the text of a substitution.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "review/expansion.h"

namespace mxc {
namespace {

// Its output is some of the lines of its input.
bool PassesLines(const Words& words) {
  return !words.empty() && IsOneOf(NameOf(words.front()), "head|tail|sort|uniq|grep|egrep|fgrep|cat");
}

}  // namespace

Expansion::Values Expansion::PrintedByEcho(Words words, int depth) const {
  words.erase(words.begin());
  for (; !words.empty() && words.front().size() > 1 && words.front().starts_with('-') &&
         words.front().find_first_not_of("neE", 1) == std::string::npos;
       words.erase(words.begin())) {
    if (words.front().find('e') != std::string::npos) return NotKnown();
  }
  Values values = words.size() == 1 ? Expand(words.front(), depth) : Values{Line(ExpandAll(words, depth))};
  const bool escapes = std::any_of(values.begin(), values.end(), [](const std::string& value) {
    return value.find('\\') != std::string::npos;
  });
  return escapes ? NotKnown() : values;
}

// Of its directives "%s" alone.
Expansion::Values Expansion::PrintedByPrintf(Words words, int depth) const {
  words.erase(words.begin());
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  if (words.empty() || words.front().starts_with('-')) return NotKnown();
  std::string format = words.front();
  for (const std::string_view end : {"\\n", "\\0"}) {
    for (std::size_t at = format.find(end); at != std::string::npos; at = format.find(end, at))
      format.replace(at, 2, "\n");
  }
  if (format.find('\\') != std::string::npos) return NotKnown();
  if (format == "%s" || format == "%s\n") {
    words.erase(words.begin());
    if (words.size() == 1) return Expand(words.front(), depth);
    std::string text;
    for (const std::string& word : ExpandAll(words, depth)) text += word + format.substr(2);
    return {text};
  }
  if (format.find('%') == std::string::npos) return Expand(format, depth);
  // As often as there are words for it.
  words.erase(words.begin());
  const Words all = ExpandAll(words, depth);
  std::string text;
  std::size_t next = 0;
  do {
    for (std::size_t i = 0; i < format.size(); ++i) {
      if (format[i] != '%') {
        text += format[i];
        continue;
      }
      if (!std::string_view(format).substr(i).starts_with("%s")) return NotKnown();
      ++i;
      if (next < all.size()) text += all[next];
      ++next;
    }
  } while (next < all.size() && text.size() <= kMaxBytes);
  return text.size() > kMaxBytes ? NotKnown() : Expand(text, depth);
}

Expansion::Values Expansion::PrintedBy(const ShellCommand& command, int depth) const {
  Words words = command.words;
  const bool reads = std::find(words.begin(), words.end(), "<") != words.end();
  const Words said = TakeRedirections(words);
  if (words.empty()) return reads ? NotKnown() : Values{""};
  const std::string_view program = words.front();
  if (program == "echo") return PrintedByEcho(words, depth);
  if (program == "printf") return PrintedByPrintf(words, depth);
  if (program == "cat" && words.size() == 1 && !reads) {
    if (!said.empty()) return Expand(said.front(), depth);
    if (!command.input.empty()) return {command.input};
  }
  if (program == "pwd") return directories_;
  if (program == "mktemp") return {"/tmp/mktemp"};
  if (IsOneOf(program, "true|false|:|set|export|local|test|[|[[")) return {""};
  const bool finds = program == "which" || (program == "command" && HasFlag(words, "-v")) ||
                     (program == "type" && HasFlag(words, "-P|-p"));
  if (finds && !words.back().starts_with('-')) return Expand(words.back(), depth);
  if (program == "find") {
    Values below;
    for (std::size_t i = 1; i < words.size() && !words[i].starts_with('-'); ++i) {
      for (const std::string& start : Expand(words[i], depth)) below.push_back(start + "/" + kUnknownText);
    }
    if (!below.empty()) return below;
  }
  return NotKnown();
}

Expansion::Values Expansion::OfSubstitution(std::string_view text, int depth) const {
  if (text.starts_with('(') && text.ends_with(')')) return {"1"};  // a number
  std::vector<Values> parts;
  for (const ShellCommand& command : ReadShellLine(text).commands) {
    if (command.substituted) continue;
    if (!command.words.empty() && IsOneOf(command.words.front(), "cd|pushd|popd")) return NotKnown();
    if (command.joint == ShellJoint::kPipe && !parts.empty()) {
      if (!PassesLines(command.words)) parts.back() = NotKnown();
      continue;
    }
    Values printed = PrintedBy(command, depth + 1);
    if (command.joint == ShellJoint::kOr && !parts.empty())
      std::move(printed.begin(), printed.end(), std::back_inserter(parts.back()));
    else
      parts.push_back(std::move(printed));
  }
  Values all = {""};
  for (const Values& part : parts) {
    Values longer;
    for (const std::string& head : all) {
      for (const std::string& tail : part)
        longer.push_back(head + (head.empty() || tail.empty() ? "" : "\n") + tail);
    }
    if (longer.size() > kMaxValues) return NotKnown();
    all = std::move(longer);
  }
  for (std::string& value : all) {
    value.resize(value.find_last_not_of('\n') + 1);
    if (value.size() > kMaxBytes) return NotKnown();
  }
  return all;
}

}  // namespace mxc
