"""The options of the program, as its help lists them."""

import pathlib
import re
import subprocess
from typing import NamedTuple

OPTION = re.compile(r"^ +(?P<names>(?:-\w, ?)?--[a-z][\w-]*|-\w)(?P<value>\S*(?: \S+)*?)(?:  +(?P<text>\S.*))?$")
GROUP = re.compile(r"^(?P<name>\S.*):$")
PATHS = re.compile(r"PATH|FILE|DIR|CONFIG")

PROFILES = pathlib.Path(__file__).resolve().parents[2] / "schemas" / "profiles"

# What an option takes on Linux, where its help does not list it.
WORDS = {
    "--containment": ["process", "namespaces", "bubblewrap", "landlock", "lxc", "none"],
    "--discover": ["tools", "profile", "temp"],
    "--profile": ["list", "show"] + sorted(file.stem for file in PROFILES.glob("*.json")),
    "--protect": ["git", "shell", "editors", "agents"],
    "--tools": ["inherit", "system"],
    "--tier": ["none", "process", "container", "virtual-machine"],
}


class Option(NamedTuple):
    names: list  # the last one is the long one
    value: str  # what the help calls it; "" for a flag
    optional: bool  # a value follows only behind "="
    repeated: bool
    words: list  # the values there are, where they are few
    text: str
    group: str

    @property
    def name(self):
        return self.names[-1]

    @property
    def is_path(self):
        return not self.words and PATHS.search(self.value) is not None


class Help(NamedTuple):
    calls: list  # (how it is called, what that does)
    grammar: str  # what stands between these and the options
    verbs: list
    options: list


def _run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)


def _text_of(program):
    whole = _run(program, "--help=all")
    return (whole if whole.returncode == 0 else _run(program, "--help")).stdout


def _option(match, group, text):
    names = [name.strip() for name in match["names"].split(",")]
    value = match["value"].split(" Needs:")[0].strip()
    optional = value.startswith(("{", "[="))
    words = list(WORDS.get(names[-1], []))
    if optional and not words:
        written = [value[1:-1]] if value.startswith("{") else []
        written += re.findall(re.escape(names[-1]) + r"=([a-z]+)", text) + re.findall(r"^\[=([a-z]+)\]", value)
        words = list(dict.fromkeys(written))
    repeated = value.endswith("...")
    value = value.removesuffix("...").strip(" {}=[]" if optional else " =")
    return Option(names, value, optional, repeated, words, match["text"] or "", group)


def read_help(program):
    text = _text_of(program)
    calls, grammar, options, group = [], [], [], "Options"
    for line in text.splitlines():
        if heading := GROUP.match(line):
            group = heading["name"]
        elif found := OPTION.match(line):
            options.append(_option(found, group, text))
        elif call := re.match(r"^ +(mxc-exec(?: \S+)*)(?:  +(\S.*))?$", line):
            calls.append((call[1], call[2] or ""))
        elif calls and not options and re.match(r"^\S", line):
            grammar.append(line)
        elif options and re.match(r"^ {8,}\S", line):  # the text of the last option goes on
            last = options[-1]
            options[-1] = last._replace(text=f"{last.text} {line.strip()}".strip())
    words = [call.split()[1:2] for call, _ in calls]
    verbs = [word[0] for word in words if word and re.fullmatch(r"[a-z][a-z-]+", word[0])]
    return Help(calls, " ".join(grammar), list(dict.fromkeys(verbs)), options)
