#include "review/command_words.h"

#include <algorithm>
#include <cstddef>

#include "mxc/fold.h"
#include "report/hidden_values.h"

namespace mxc {
namespace {

// `option` is it, or the beginning of a long one: getopt_long(3) and git take those that are of one option
// alone, and refuse the others.
bool IsOption(std::string_view option, std::string_view flag) {
  return option == flag || (option.starts_with("--") && option.size() > 2 && flag.starts_with(option));
}

bool HasOption(const Words& words, std::string_view flag) {
  return std::any_of(words.begin() + 1, words.end(), [&](const std::string_view word) {
    if (!word.starts_with('-') || word.size() < 2) return false;
    if (IsOption(word.substr(0, word.find('=')), flag)) return true;
    return flag.size() == 2 && !word.starts_with("--") && word.find(flag[1], 1) != std::string_view::npos;
  });
}

bool HasValue(const Words& words, std::string_view flag, std::string_view value) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    std::string_view given;
    if (word.starts_with("--")) {
      const std::size_t name = std::min(word.find('='), word.size());
      if (!IsOption(word.substr(0, name), flag)) continue;
      given = word.substr(std::min(name + 1, word.size()));
    } else {
      const std::size_t letter =
          word.starts_with('-') && flag.size() == 2 ? word.find(flag[1], 1) : word.npos;
      if (letter == word.npos) continue;
      given = word.substr(letter + 1);
    }
    if (given.empty() && i + 1 < words.size()) given = words[i + 1];
    if (Folded(given) == Folded(value)) return true;
  }
  return false;
}

}  // namespace

bool HasFlag(const Words& words, std::string_view flags) {
  while (!flags.empty()) {
    const std::string_view flag = TakePiece(flags, "|");
    const std::size_t name = flag.find('=');
    if (name == flag.npos ? HasOption(words, flag)
                          : HasValue(words, flag.substr(0, name), flag.substr(name + 1)))
      return true;
  }
  return false;
}

bool HasVerbs(const Words& words, std::string_view verbs) {
  auto at = words.begin() + 1;
  while (!verbs.empty()) {
    const std::string_view verb = TakePiece(verbs, " ");
    at = std::find_if(at, words.end(), [&](const std::string& word) {
      return IsOneOf(word, verb) || IsOneOf(Folded(word), verb);
    });
    if (at == words.end()) return false;
    ++at;
  }
  return true;
}

std::string Line(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

Words SplitAtBlanks(std::string_view text) {
  Words words;
  while (!text.empty()) {
    const std::string_view word = TakePiece(text, " \t\n");
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

std::size_t NameLength(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
  });
  return static_cast<std::size_t>(end - text.begin());
}

std::string_view AssignedName(std::string_view word) {
  const std::size_t length = NameLength(word);
  if (length == 0 || (word.front() >= '0' && word.front() <= '9')) return {};
  const std::string_view rest = word.substr(length);
  // "a[1]=x"
  if (rest.starts_with('[')) return rest.find("]=") != std::string_view::npos ? word.substr(0, length) : "";
  return rest.starts_with("=") || rest.starts_with("+=") ? word.substr(0, length) : "";
}

bool IsUnknown(std::string_view value) {
  return !value.empty() && value.find_first_not_of(kUnknownText) == std::string_view::npos;
}

std::string WithDollars(std::string text) {
  std::replace(text.begin(), text.end(), kLiteralDollar, '$');
  return text;
}

std::string Shown(const Words& words) {
  constexpr std::size_t kEnough = 200;
  std::string text = WithDollars(Line(words));
  if (text.size() > kEnough) text = WithoutHiddenValues(text);  // would not find one that is cut
  return text.size() > kEnough ? text.substr(0, kEnough) + "..." : text;
}

Words WithSubcommandFirst(Words words) {
  const std::string program(NameOf(words.front()));
  if (program.starts_with("git-") && program.size() > 4) {
    words.front() = program.substr(4);
    words.insert(words.begin(), "git");
    return words;
  }
  if (program != "git") return words;
  constexpr std::string_view kWithValue =
      "-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--super-prefix|--config-env|--attr-source";
  Words settings;
  std::size_t at = 1;
  for (; at < words.size() && (words[at].starts_with('-') || IsUnknown(words[at])); ++at) {
    constexpr std::string_view kVariable = "--config-env=";
    if (words[at].starts_with(kVariable)) settings.push_back(words[at].substr(kVariable.size()));
    if (words[at].find('=') != std::string::npos || !IsOneOf(words[at], kWithValue) ||
        words[at] == "--exec-path")
      continue;
    if (++at < words.size() && IsOneOf(words[at - 1], "-c|--config-env")) settings.push_back(words[at]);
  }
  words.erase(words.begin() + 1, words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size())));
  words.insert(words.end(), settings.begin(), settings.end());
  return words;
}

Words TakeRedirections(Words& words) {
  Words said;
  for (std::size_t i = 0; i < words.size();) {
    if (!IsOneOf(words[i], "<|>|<<<")) {
      ++i;
      continue;
    }
    if (i + 1 < words.size() && (words[i] == "<<<" || (words[i] == "<" && words[i + 1].starts_with("<("))))
      said.push_back(words[i + 1]);
    const auto from = words.begin() + static_cast<std::ptrdiff_t>(i);
    words.erase(from, from + (i + 1 < words.size() ? 2 : 1));
  }
  return said;
}

}  // namespace mxc
