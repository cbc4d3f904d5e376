// Text that others chose (paths, host names, arguments) in what we print and record. A terminal obeys what it
// is sent, and people paste what they read into a shell.
#pragma once

#include <string>
#include <string_view>

namespace mxc {

// As one line on which no terminal acts: control characters (C0, DEL, C1), characters that reorder or hide
// others (bidirectional controls, tags), line separators, what shows nothing or a blank that is no space, and
// what is not UTF-8, byte for byte as \xNN.
[[nodiscard]] std::string Escaped(std::string_view text);
// A label of a host name as DNS tools write it (RFC 4343): what is no letter of a name as \DDD, in decimal; a
// dot inside the label as well.
[[nodiscard]] std::string EscapedLabel(std::string_view label);
// As Escaped, in quotes, for messages. A quote in it is '\'', as in a shell: it ends nothing.
[[nodiscard]] std::string Quoted(std::string_view text);
// JSON with those characters as \uNNNN, so that it means the same; line breaks between its tokens stay.
[[nodiscard]] std::string EscapedJson(std::string_view json);

// One word of bash, zsh and ksh, and of sh where `text` has nothing to be escaped.
[[nodiscard]] std::string ShellQuoted(std::string_view text);
// The same, without quotes where no shell needs them.
[[nodiscard]] std::string ShellWord(std::string_view text);

}  // namespace mxc
