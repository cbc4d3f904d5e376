// Runs every row of cases.jsonl through the built program, `--dry-run`.
//
// A row holds the configuration, the exit status wanted of us, the one recorded of the reference, and what
// the refusal must name. Where the two statuses differ, or the stage that refuses does, the row carries the
// name of a deliberate difference, and docs/schema.md explains it. So do the rows of reference.jsonl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/support/built.h"
#include "tests/support/program.h"

namespace mxc::test::conformance_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Row {
  std::string id = {};
  std::string config = {};
  std::vector<std::string> flags = {};
  int exit = 0;
  int reference_exit = -1;      // -1: not recorded
  std::string field = {};       // named by the message
  std::string pointer = {};     // in the envelope
  std::string says = {};        // for refusals that blame no field
  std::string difference = {};  // see docs/schema.md
};

// How gtest names the row of a failed test.
void PrintTo(const Row& row, std::ostream* out) { *out << row.config; }

std::vector<Row> ReadRows() {
  std::vector<Row> rows;
  std::ifstream file(SourceDirectory() + "/tests/conformance/cases.jsonl");
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json json = nlohmann::json::parse(line);
    Row row{.id = json.at("id"), .config = json.at("config"), .exit = json.at("exit")};
    if (json.contains("flags")) row.flags = json["flags"].get<std::vector<std::string>>();
    if (json.contains("reference")) row.reference_exit = json["reference"]["exit"];
    row.field = json.value("field", "");
    row.pointer = json.value("pointer", "");
    row.says = json.value("says", "");
    row.difference = json.value("difference", "");
    rows.push_back(std::move(row));
  }
  return rows;
}

const std::vector<Row>& Rows() {
  static const std::vector<Row> rows = ReadRows();
  return rows;
}

Ended DryRun(const Row& row) {
  Launch launch{.arguments = {"--dry-run"}, .input = row.config};
  launch.arguments.insert(launch.arguments.end(), row.flags.begin(), row.flags.end());
  launch.arguments.emplace_back("-");
  return Execute(launch);
}

// The envelope on a line of its own, or null.
nlohmann::json Envelope(const std::string& err) {
  for (const std::string& line : Lines(err)) {
    if (line.starts_with("{\"error\":")) return nlohmann::json::parse(line)["error"];
  }
  return nullptr;
}

void ExpectRefusal(const Row& row, const Ended& ended) {
  // Of a lifecycle request it stands on standard output.
  const nlohmann::json envelope = Envelope(ended.err + ended.out);
  ASSERT_TRUE(envelope.is_object()) << ended.err;
  EXPECT_EQ(envelope.value("pointer", ""), row.pointer);
  if (row.exit == 255) {
    EXPECT_THAT(ended.out, HasSubstr("Dry run completed. Result: validation failed: "));
    return;
  }
  EXPECT_EQ(ended.out.find("Dry run completed"), std::string::npos);
  EXPECT_THAT(ended.err, HasSubstr(row.says));
  const std::vector<std::string> lines = Lines(ended.err);
  ASSERT_GE(lines.size(), 2U);
  if (row.says.starts_with("error: ")) {
    EXPECT_EQ(lines[0], row.says);
  } else if (!row.field.empty()) {
    EXPECT_EQ(lines[0], "Request error");
    EXPECT_THAT(lines[1],
                StartsWith("Configuration parse error: Invalid configuration at `" + row.field + "`: "));
  } else {
    EXPECT_EQ(lines[0], "Request error");
    EXPECT_THAT(lines[1], StartsWith("Configuration parse error: "));
  }
}

class Conformance : public testing::TestWithParam<Row> {};

TEST_P(Conformance, IsAnsweredAsTheRowSays) {
  const Row& row = GetParam();
  const Ended ended = DryRun(row);
  if (row.exit != 1 && Envelope(ended.err).is_object() &&
      Envelope(ended.err).value("code", "") == "backend_unavailable") {
    GTEST_SKIP() << "this host has no usable bubblewrap";
  }
  EXPECT_EQ(ended.status, row.exit) << ended.out << ended.err;
  if (row.exit == 0) {
    EXPECT_THAT(ended.out, HasSubstr("Dry run completed. Result: validation passed\n"));
  } else {
    ExpectRefusal(row, ended);
  }
}

std::string NameOf(const testing::TestParamInfo<Row>& info) {
  std::string name = info.param.id;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Rows, Conformance, testing::ValuesIn(Rows()), NameOf);

TEST(ConformanceTable, HasEveryRecordedRow) {
  const auto recorded = std::count_if(Rows().begin(), Rows().end(), [](const Row& row) {
    return row.id.find_first_not_of("0123456789") == std::string::npos;
  });
  EXPECT_EQ(recorded, 166);
}

TEST(ConformanceTable, EveryDeviationIsDeliberate) {
  for (const Row& row : Rows()) {
    EXPECT_TRUE(!row.difference.empty() || row.exit == row.reference_exit) << row.id;
  }
}

// ---- the reference's own configurations ----------------------------------------------------------------
//
// A row of reference.jsonl stands for configurations that the reference keeps as tests and examples, with
// what is particular to them. `files` are their names there. A row says that the policy is planned, or with
// which code and pointer it is refused; where the reference runs it and we refuse it, or plan something else,
// it names the difference.

struct Example {
  std::string id = {};
  nlohmann::json config = {};
  bool explained = false;  // belongs to another system: --explain plans it
  std::string containment = {};
  std::string code = {};  // empty: planned
  std::string pointer = {};
  std::string difference = {};
  std::size_t files = 0;
};

void PrintTo(const Example& example, std::ostream* out) { *out << example.config.dump(); }

std::vector<Example> ReadExamples() {
  std::vector<Example> examples;
  std::ifstream file(SourceDirectory() + "/tests/conformance/reference.jsonl");
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json json = nlohmann::json::parse(line);
    examples.push_back({.id = json.at("id"),
                        .config = json.at("config"),
                        .explained = json.at("asks") == "explain",
                        .containment = json.value("containment", ""),
                        .code = json.value("code", ""),
                        .pointer = json.value("pointer", ""),
                        .difference = json.value("difference", ""),
                        .files = json.at("files").size()});
  }
  return examples;
}

const std::vector<Example>& Examples() {
  static const std::vector<Example> examples = ReadExamples();
  return examples;
}

class Reference : public testing::TestWithParam<Example> {};

TEST_P(Reference, IsPlannedOrRefusedAsTheRowSays) {
  const Example& example = GetParam();
  Launch launch{.arguments = {"--experimental", "--allow-testing-features"}, .input = example.config.dump()};
  launch.arguments.emplace_back(example.explained ? "--explain=json" : "--dry-run");
  if (!example.containment.empty()) {
    launch.arguments.emplace_back("--containment");
    launch.arguments.push_back(example.containment);
  }
  launch.arguments.emplace_back("-");
  const Ended ended = Execute(launch);
  if (example.code.empty()) {
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    return;
  }
  EXPECT_NE(ended.status, 0) << ended.out;
  const nlohmann::json envelope = Envelope(ended.err + ended.out);
  ASSERT_TRUE(envelope.is_object()) << ended.out << ended.err;
  EXPECT_EQ(envelope.value("code", ""), example.code) << envelope;
  EXPECT_EQ(envelope.value("pointer", ""), example.pointer) << envelope;
  EXPECT_NE(envelope.value("hint", ""), "") << envelope;
}

std::string NameOfExample(const testing::TestParamInfo<Example>& info) {
  std::string name = info.param.id;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Rows, Reference, testing::ValuesIn(Examples()), NameOfExample);

// The table of differences in the document, as the names in its first column.
std::set<std::string> DocumentedDifferences() {
  std::ifstream file(SourceDirectory() + "/docs/schema.md");
  std::set<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) inside = line == "## Deliberate differences";
    if (!inside || !line.starts_with("| `")) continue;
    names.insert(line.substr(3, line.find('`', 3) - 3));
  }
  return names;
}

TEST(ConformanceTable, EveryExampleStandsForSomethingOfTheReference) {
  for (const Example& example : Examples()) EXPECT_NE(example.files, 0U) << example.id;
}

// Each of the reference's files by its name, and what it comes to here; reference_files.py runs them all.
TEST(ConformanceTable, WhatTheReferenceRunsIsPlannedOrHasAReason) {
  std::ifstream file(SourceDirectory() + "/tests/conformance/reference_files.jsonl");
  const std::set<std::string> documented = DocumentedDifferences();
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json row = nlohmann::json::parse(line);
    const std::string difference = row.value("difference", "");
    EXPECT_TRUE(names.insert(row.at("file")).second) << line;
    EXPECT_TRUE(difference.empty() || documented.count(difference) == 1) << line;
    const bool runs = row.at("reference") == "runs";
    EXPECT_FALSE(runs && row.contains("code") && difference.empty()) << line;
  }
  EXPECT_EQ(names.size(), 266U);
}

TEST(ConformanceTable, TheDocumentListsExactlyTheDifferences) {
  std::set<std::string> used;
  for (const Row& row : Rows()) {
    if (!row.difference.empty()) used.insert(row.difference);
  }
  for (const Example& example : Examples()) {
    if (!example.difference.empty()) used.insert(example.difference);
  }
  EXPECT_EQ(DocumentedDifferences(), used);
}

}  // namespace
}  // namespace mxc::test::conformance_test
