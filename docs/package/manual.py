"""Manual pages from the documents and the program's help, through lowdown: manual.py PROGRAM SOURCE SHARE

mxc-policy(5) is docs/policy.md and the pages of docs/policy, in the order in which it names them. mxc-exec(1) is README.md's
description, the help's options and docs/errors.md's exit status."""

import gzip
import os
import pathlib
import re
import subprocess
import sys
import time

from program_help import read_help

ROFF_START = '.\\" Made by docs/package/manual.py.\n'


def without_links(text):
    """Relative links lead nowhere in a manual page; their words stay."""
    return re.sub(r"\[([^\]\[]+)\]\((?!https?:)[^)]*\)", r"\1", text)


def section(text, title, level=2):
    """What stands below one heading, up to the next of its level or above."""
    marks = "#" * level
    found = re.search(rf"^{marks} {re.escape(title)}\n(.*?)(?=^#{{1,{level}}} |\Z)", text, re.M | re.S)
    if not found:
        sys.exit(f"manual.py: no section '{title}'")
    return found[1]


def raised(text):
    return re.sub(r"^#(#+ )", r"\1", text, flags=re.M)


def roff(markdown, title, number, version):
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    made = subprocess.run(
        ["lowdown", "-s", "-Tman", "--nroff-no-groff", "--out-no-smarty", "-M", f"title={title}", "-M", f"section={number}",
         "-M", f"date={date}", "-M", f"source=mxc-exec {version}", "-M", "volume="],
        input=without_links(markdown), capture_output=True, text=True, check=True).stdout
    made = made.replace("\\fC", "\\fB").replace("\u2026", "...")  # which has no name where there is no locale
    made = re.sub(r"^(\.S[HS]\n.*)\n\.[LP]P$", r"\1", made, flags=re.M)
    # Columns of tables are narrow: lines are not stretched, and long words may end at a slash or a dot.
    made = re.sub(r"T{.*?T}", lambda cell: re.sub(r"(?<=\w[/=.-])(?=\w)", r"\\:", cell[0]), made, flags=re.S)
    return ROFF_START + re.sub(r"^(\.TH.*)$", r"\1\n.ad l", made, count=1, flags=re.M)


def options(help_):
    lines, group = [], None
    for option in help_.options:
        if option.group != group:
            group = option.group
            lines.append(f"## {group}\n")
        names = ", ".join(f"**{name}**" for name in option.names)
        value = f"[=*{option.value}*]" if option.optional else f" *{option.value}*" if option.value else ""
        value += "..." if option.repeated else ""
        text = re.sub(r"(--[a-z][\w-]*)", r"**\1**", option.text).replace("<", "\\<")
        lines.append(f"{names}{value.replace('[', chr(92) + '[')}\n: {text}\n")
    return "\n".join(lines)


def command_page(program, source):
    help_ = read_help(program)
    readme = (source / "README.md").read_text()
    errors = (source / "docs/errors.md").read_text()
    introduction = readme.split("```", 1)[0].split("\n", 1)[1].strip()
    calls = "\n".join(f"    {call}" for call, _ in help_.calls)
    examples = "\n".join(f"    {call}\n\n{what}\n" for call, what in help_.calls)
    return f"""# NAME

mxc-exec - run a command in a sandbox

# SYNOPSIS

{calls}

# DESCRIPTION

{introduction}

{section(readme, "What it protects, and what it does not")}

# OPTIONS

{help_.grammar}

{options(help_)}

# EXIT STATUS

{section(errors, "Exit status")}

# EXAMPLES

{examples}
A policy, as a file:

{section(readme, "A policy").replace("schemas/examples", "/usr/share/doc/mxc-exec/examples")}

# FILES

*/usr/share/doc/mxc-exec/examples*
: policies to begin with

*/usr/share/mxc-exec/schemas*
: the JSON Schemas of all dialects, for editors

*/usr/share/doc/mxc-exec*
: README.md, and the documents that are named here as docs/...

# SEE ALSO

**mxc-policy**(5), **bwrap**(1), **namespaces**(7), **landlock**(7), **seccomp**(2)
"""


def policy_page(source):
    entry = (source / "docs/policy.md").read_text().split("\n", 1)[1]
    names = list(dict.fromkeys(re.findall(r"\(policy/([\w-]+\.md)\)", section(entry, "Pages"))))
    if set(names) != {page.name for page in (source / "docs/policy").glob("*.md")}:
        sys.exit("manual.py: docs/policy.md does not name each page of docs/policy")
    pages = "\n".join((source / "docs/policy" / name).read_text() for name in names)
    return f"""# NAME

mxc-policy - what a policy of mxc-exec means

# DESCRIPTION

{raised(entry)}

{pages}

# SEE ALSO

**mxc-exec**(1)
"""


def main():
    program, source, share = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    pages = {("mxc-exec", 1): command_page(program, source), ("mxc-policy", 5): policy_page(source)}
    for (name, number), text in pages.items():
        file = share / f"man/man{number}/{name}.{number}.gz"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.compress(roff(text, name.upper(), number, version).encode(), mtime=0))
    for name in ("lxc-exec", "mxc-sh"):
        link = share / f"man/man1/{name}.1.gz"
        link.unlink(missing_ok=True)
        link.symlink_to("mxc-exec.1.gz")


main()
