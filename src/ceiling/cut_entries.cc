#include "ceiling/cut_entries.h"

#include <utility>

#include "ceiling/ceiling_paths.h"
#include "policy/paths/rules.h"

namespace mxc {
namespace {

class EntryCutter {
 public:
  EntryCutter(const CeilingSection& section, const CeilingPaths& bounds, Cuts& cuts)
      : section_(section), bounds_(bounds), cuts_(cuts) {}

  void Cut(std::vector<ExaminedEntry>& entries) {
    asked_ = RulesOf(entries);
    for (ExaminedEntry& entry : entries) CutOne(std::move(entry));
    kept_ = RulesOf(entries_);
    for (const CeilingPlace& place : bounds_.Places()) CutBelow(place.path, place.walked);
    entries = std::move(entries_);
  }

 private:
  void CutOne(ExaminedEntry entry) {
    if (entry.access == Access::kDenied || !entry.walked.status) {
      entries_.push_back(std::move(entry));
      return;
    }
    const CeilingVerdict verdict = bounds_.Judge(entry.walked.path, entry.walked.status->object);
    const std::string path = Quoted(entry.walked.path);
    if (verdict.access == Access::kDenied) {
      cuts_.Add(section_, verdict.clause, entry.pointer, path + " is not granted");
      return;
    }
    const bool less = Stricter(entry.access, verdict.access) != entry.access;
    if (less) cuts_.Add(section_, verdict.clause, entry.pointer, path + " is read-only");
    // The baseline shows it without an entry, and hides what it hides.
    if (verdict.baseline) {
      if (!less && bounds_.HoldsHidden(entry.walked.path))
        cuts_.Add(section_, verdict.clause, entry.pointer, path + " is shown as every sandbox shows it");
      return;
    }
    if (less) entry.access = entry.wanted = Access::kReadOnly;
    entries_.push_back(std::move(entry));
  }

  // A place inside a grant of which the ceiling says something of its own.
  void CutBelow(const std::string& path, const Walked& walked) {
    const PathRule* const own = asked_.Find(path);
    const PathRule* const kept = kept_.Find(path);
    if (kept != nullptr || (own != nullptr && own->access == Access::kDenied)) return;
    const Access asked = AccessAt(asked_, path);
    if (asked == Access::kDenied) return;
    const std::optional<FileObject> object =
        walked.status ? std::optional(walked.status->object) : std::nullopt;
    const CeilingVerdict verdict = bounds_.Judge(path, object);
    const Access access = Stricter(asked, verdict.access);
    if (access == AccessAt(kept_, path) || (!walked.status && access != Access::kDenied)) return;
    const PathRule* const around = asked_.Covering(path);
    const bool cut = access != asked;
    if (cut && around != nullptr && around->access != Access::kDenied)
      cuts_.Add(section_, verdict.clause, around->pointer,
                Quoted(path) + (access == Access::kDenied ? " is denied" : " is read-only"));
    ExaminedEntry entry{.wanted = access,
                        .access = access,
                        .pointer = cut || around == nullptr ? section_.At(verdict.clause) : around->pointer,
                        .walked = walked};
    entry.walked.path = path;
    kept_.Add({.path = path, .access = access, .pointer = entry.pointer});
    entries_.push_back(std::move(entry));
  }

  // What shows there by these entries, and by the baseline below them.
  [[nodiscard]] Access AccessAt(const RuleSet& rules, const std::string& path) const {
    const PathRule* const rule = rules.Covering(path);
    if (rule != nullptr) return rule->access;
    return bounds_.InBaseline(path) ? Access::kReadOnly : Access::kDenied;
  }

  const CeilingSection& section_;
  const CeilingPaths& bounds_;
  Cuts& cuts_;
  RuleSet asked_ = {};
  RuleSet kept_ = {};
  std::vector<ExaminedEntry> entries_ = {};
};

}  // namespace

void CutEntries(const CeilingFiles& files, std::vector<ExaminedEntry>& entries, Cuts& cuts) {
  for (const auto& [section, paths] : files.Sections()) EntryCutter(*section, *paths, cuts).Cut(entries);
}

}  // namespace mxc
