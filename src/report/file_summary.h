// What the policy kept from the command, for people: each file once, with the entry that would
// allow it.
//
//   FileSummary summary(PolicyForm::kDirectional, [&](const FileCall& call) { return judge.Judge(call); });
//   if (const FileDenial* denial = summary.Take(call)) status.ReportFile(*denial);
//   fmt::print(stderr, "{}", summary.Text());
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mxc/file_call.h"
#include "report/policy_form.h"

namespace mxc {

class FileSummary {
 public:
  // A program that tries one name after another fills a page, not our memory.
  static constexpr std::size_t kMaxDenials = 100;
  static constexpr std::size_t kMaxKnown = 20000;

  using Judge = std::function<std::optional<FileDenial>(const FileCall&)>;

  FileSummary(PolicyForm form, Judge judge) : form_(form), judge_(std::move(judge)) {}
  // The denial, when the call is one that was not met before; also beyond those that Text() lists. Valid
  // until the next call.
  const FileDenial* Take(const FileCall& call);
  // Whole lines; also when nothing was denied.
  [[nodiscard]] std::string Text() const;
  // For --report=short, the likeliest reason of a failure first: changes, then what was opened, of each the
  // last first; what was only looked at where there is nothing else. Nothing that the denial calls secret,
  // and nothing that no entry decides.
  [[nodiscard]] std::vector<std::string> Short() const;
  // Calls that were not judged, because there were more than kMaxKnown.
  [[nodiscard]] std::uint64_t LeftOut() const { return left_out_; }

 private:
  [[nodiscard]] std::string Remedy(const FileDenial& denial) const;

  struct Denied {
    FileDenial denial = {};
    std::size_t order = 0;  // in which they were met
  };

  PolicyForm form_;
  Judge judge_;
  std::set<std::tuple<FileUse, bool, std::string>> known_ = {};  // judged already, by the path as it was used
  std::map<std::string, Denied> denied_ = {};                    // by path; the use that asks for most
  std::size_t met_ = 0;
  std::set<std::string> others_ = {};  // paths beyond kMaxDenials
  FileDenial other_ = {};              // the last of those
  std::uint64_t left_out_ = 0;
};

}  // namespace mxc
