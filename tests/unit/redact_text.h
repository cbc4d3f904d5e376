// What comes out of a Redactor that is fed a text in pieces.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/redact.h"

namespace mxc {

inline std::string Redacted(const RedactionRules& rules, const std::vector<std::string>& pieces) {
  Redactor redactor(rules);
  std::string out;
  for (const std::string& piece : pieces) redactor.Feed(piece, out);
  redactor.Finish(out);
  return out;
}

inline std::string Secrets(const std::vector<std::string>& pieces) {
  return Redacted({.secrets = true}, pieces);
}
inline std::string Secrets(const std::string& text) { return Secrets(std::vector{text}); }

inline std::vector<std::string> InPiecesOf(std::size_t size, const std::string& text) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size(); at += size) pieces.push_back(text.substr(at, size));
  return pieces;
}

struct RedactCase {
  std::string text;
  std::string redacted;
};

inline void ExpectAtEverySplit(const std::vector<RedactCase>& cases) {
  for (const RedactCase& sample : cases) {
    const std::string& text = sample.text;
    EXPECT_EQ(Secrets(text), sample.redacted) << text;
    for (std::size_t cut = 0; cut < text.size(); ++cut)
      EXPECT_EQ(Secrets({text.substr(0, cut), text.substr(cut)}), sample.redacted)
          << text << " cut at " << cut;
    EXPECT_EQ(Secrets(InPiecesOf(1, text)), sample.redacted) << text << " byte by byte";
  }
}

// What a token or a key consists of.
inline std::string Body(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += static_cast<char>('A' + i % 26);
  return text;
}

}  // namespace mxc
