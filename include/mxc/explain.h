// What a backend adds to --explain: its own part of a plan, as lines of text and as members of the document.
#pragma once

#include <string>
#include <string_view>

namespace mxc {

struct Plan;

// The text of --explain, line by line. Control characters are escaped.
class ExplainPage {
 public:
  void Section(std::string_view title);
  void Line(std::string_view name, std::string_view value);  // a fact with its name, in two columns
  void Row(std::string_view line);                           // an entry of the section
  void Rows(std::string_view text);                          // an entry per line of `text`
  [[nodiscard]] std::string Take();

 private:
  std::string text_ = {};
};

struct Explanation {
  void (*text)(const Plan& plan, ExplainPage& page) = nullptr;  // nullptr: there is nothing to add
  std::string (*json)(const Plan& plan) = nullptr;              // a JSON object: its members are added
};

}  // namespace mxc
