// Which commands destroy, and which run others.
#pragma once

#include <span>
#include <string_view>

namespace mxc {

struct DestructiveRow {
  std::string_view programs = {};  // "npm|yarn"; a name that ends in "*" is the beginning of one
  std::string_view verbs =
      {};  // "volume rm|remove": words that follow in this order, others may stand between
  // "-f|--force|-X=DELETE": one of them, or what abbreviates it; empty: with any or none
  std::string_view flags = {};
  std::string_view what = {};
  std::string_view source = {};
};
[[nodiscard]] std::span<const DestructiveRow> DestructiveRows();

// Programs that run another one, and how the command that they run is found.
enum class WrapperTakes {
  kWords,          // its words: any of them may be where the command begins, options have values
  kWordsOrLines,   // as well, or one of them is a line for a shell: `-c`, `-S`, `ssh host '...'`
  kWordsAndNames,  // as well, with operands that it reads or finds: xargs
  kScript,         // as a shell: a line of `-c`, or what it reads
};
struct WrapperRow {
  std::string_view programs = {};
  WrapperTakes takes = WrapperTakes::kWords;
};
[[nodiscard]] std::span<const WrapperRow> WrapperRows();

// Programs that print settings for the shell that called them, with the words that have them do so.
struct SettingsRow {
  std::string_view programs = {};
  std::string_view verbs = {};
};
[[nodiscard]] std::span<const SettingsRow> SettingsRows();

// Statements to databases, in the words of any of these programs.
struct DestructiveStatement {
  std::string_view programs = {};
  std::string_view text = {};  // in small letters, one blank between words
  std::string_view source = {};
};
[[nodiscard]] std::span<const DestructiveStatement> DestructiveStatements();

}  // namespace mxc
