#include "mxc/command_line.h"

namespace mxc {
namespace {

constexpr std::string_view kPlain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
constexpr std::string_view kSplitting = " \t\n\v\"";
constexpr std::string_view kOperators = "&|<>^()";

std::string InSingleQuotes(std::string_view argument) {
  std::string quoted = "'";
  for (const char c : argument) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// Backslashes are themselves, except before a quote, where two stand for one.
std::string InQuotes(std::string_view argument) {
  std::string quoted = "\"";
  std::size_t backslashes = 0;
  for (const char c : argument) {
    if (c == '\\') {
      ++backslashes;
      continue;
    }
    quoted.append(c == '"' ? 2 * backslashes + 1 : backslashes, '\\');
    backslashes = 0;
    quoted += c;
  }
  quoted.append(2 * backslashes, '\\');
  return quoted + '"';
}

}  // namespace

std::string QuoteArgument(std::string_view argument, QuoteFor reader) {
  const auto holds = [&](std::string_view any) {
    return argument.find_first_of(any) != std::string_view::npos;
  };
  if (reader == QuoteFor::kShell) {
    const bool plain = !argument.empty() && argument.find_first_not_of(kPlain) == std::string_view::npos;
    return plain ? std::string(argument) : InSingleQuotes(argument);
  }
  const bool operators = reader == QuoteFor::kCmd && holds(kOperators);
  return argument.empty() || holds(kSplitting) || operators ? InQuotes(argument) : std::string(argument);
}

std::string JoinArguments(const std::vector<std::string>& arguments, QuoteFor reader) {
  std::string line;
  for (const std::string& argument : arguments) {
    if (!line.empty()) line += ' ';
    line += QuoteArgument(argument, reader);
  }
  return line;
}

}  // namespace mxc
