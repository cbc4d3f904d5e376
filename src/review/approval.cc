#include "review/approval.h"

#include <algorithm>
#include <utility>

#include "base/quoted.h"
#include "hash/sha256.h"
#include "report/hidden_values.h"

namespace mxc {
namespace {

// Each with its length in front: no two requests have one text.
void Add(std::string_view text, std::string& all) {
  all += std::to_string(text.size()) + ":" + std::string(text);
}

// As it is shown: words that were split, joined or unquoted do not have a value in them as it stood there.
ReviewedCommand WithoutValues(ReviewedCommand command) {
  for (std::string& word : command.argv) word = WithoutHiddenValues(word);
  command.line = WithoutHiddenValues(command.line);
  command.cwd = WithoutHiddenValues(command.cwd);
  for (Variable& variable : command.variables)
    variable.value = Secret{WithoutHiddenValues(variable.value.Reveal())};
  return command;
}

// `shown` may destroy something else than the command that it stands for: then only the whole is quoted.
std::string Excerpt(const Destruction& found, const ReviewedCommand& shown) {
  for (const Destruction& each : FindDestruction(shown))
    if (each.what == found.what && each.source == found.source) return ": " + Quoted(each.command);
  return "";
}

Error Required(const Destruction& found, const ReviewedCommand& command) {
  const ReviewedCommand shown = WithoutValues(command);
  return {.code = ErrorCode::kApprovalRequired,
          .message = "the command " + found.what + " (" + found.source + ")" + Excerpt(found, shown) +
                     "; the whole command, in " + Quoted(shown.cwd) + ", is: " + WholeCommand(shown),
          .pointer = "/review"};
}

Error NotApproved(const Destruction& found, const ReviewedCommand& command, std::string_view why) {
  Error error = Required(found, command);
  error.message.append("; ").append(why);
  error.hint = "the same call without --approve says which approval it waits for";
  return error;
}

Error WaitsFor(const Destruction& found, const ReviewedCommand& command, const std::string& moved,
               const std::string& hash) {
  Error error = Required(found, command);
  if (error.message.size() > kMaxShownCommand) {
    error.message = "the command " + found.what + " (" + found.source +
                    "), and is too long to be read: " + std::to_string(error.message.size()) + " bytes";
    error.hint = "put it into a script that can be read, or give it in pieces";
    return error;
  }
  if (!moved.empty()) {
    error.hint = "it cannot be approved: something else stands at " + Quoted(moved) + " than in the sandbox";
    return error;
  }
  const Result<std::string> approval = LeaveNote(hash);
  if (!approval) {
    error.hint = "it cannot be approved here: " + approval.error().message;
    return error;
  }
  error.message += "; its approval is " + *approval;
  error.approval = {
      .id = *approval, .command = WholeCommand(WithoutValues(command)), .directory = command.cwd};
  error.hint =
      "a person who wants that adds --approve " + *approval + " to the same call, within ten minutes";
  return error;
}

}  // namespace

std::string WholeCommand(const ReviewedCommand& command) {
  if (command.argv.empty()) return "/bin/sh -c " + ShellWord(command.line);
  std::string text;
  for (const std::string& word : command.argv) text += (text.empty() ? "" : " ") + ShellWord(word);
  return text;
}

std::string RequestHash(const ReviewRequest& request) {
  std::vector<std::pair<std::string, std::string>> variables;
  for (const Variable& variable : request.command.variables)
    variables.emplace_back(variable.name, variable.value.Reveal());
  std::sort(variables.begin(), variables.end());
  std::string all;
  Add(request.command.line, all);
  Add(std::to_string(request.command.argv.size()), all);
  for (const std::string& word : request.command.argv) Add(word, all);
  Add(request.command.cwd, all);
  Add(request.policy_hash, all);
  Add(request.sandbox, all);
  Add(std::to_string(request.places.size()), all);
  for (const std::string& place : request.places) Add(place, all);
  for (const auto& [name, value] : variables) {
    Add(name, all);
    Add(value, all);
  }
  return Sha256Text(all);
}

Status CheckApproval(const ReviewRequest& request, const std::string& approved) {
  const std::vector<Destruction> found = FindDestruction(request.command);
  if (found.empty()) {
    if (approved.empty()) return Done{};
    return Error{.code = ErrorCode::kUsage,
                 .message = "--approve " + approved + ": this command waits for no approval",
                 .hint = "leave --approve out"};
  }
  const std::string hash = RequestHash(request);
  if (approved.empty() || !request.moved.empty())
    return WaitsFor(found.front(), request.command, request.moved, hash);
  const Result<NoteTaken> taken = TakeNote(approved, hash);
  if (!taken) return taken.error();
  switch (*taken) {
    case NoteTaken::kTaken:
      return Done{};
    case NoteTaken::kOther:
      return NotApproved(found.front(), request.command, "what was approved is something else");
    case NoteTaken::kNone:
      break;
  }
  return NotApproved(found.front(), request.command, "that approval has been used, or its time is over");
}

}  // namespace mxc
