"""Completions for bash, zsh and fish, from the program's help: completions.py PROGRAM SHARE"""

import pathlib
import sys

from program_help import read_help

BASH = """# Completion of mxc-exec for bash, made from its help.
_mxc_exec() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} i
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -- ]] || continue
    if declare -F _command_offset >/dev/null; then
      _command_offset $((i + 1))
    else
      mapfile -t COMPREPLY < <( ((COMP_CWORD == i + 1)) && compgen -c -- "$word"; compgen -f -- "$word")
    fi
    return
  done
  if [[ $word == = ]]; then # bash takes --name=value apart
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $before in
@CASES@  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "@NAMES@" -- "$word")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word"; ((COMP_CWORD > 1)) || compgen -W "@VERBS@" -- "$word")
  fi
}
complete -F _mxc_exec mxc-exec lxc-exec
"""

ZSH = """#compdef mxc-exec lxc-exec
# Completion of mxc-exec for zsh, made from its help.
_mxc_exec() {
  local at=${words[(i)--]}
  if ((at < CURRENT)); then
    shift $at words
    ((CURRENT -= at))
    _normal
    return
  fi
  _arguments -s : \\
@OPTIONS@    '1: :{_alternative "verbs:verb:(@VERBS@)" "files:configuration:_files"}' \\
    '*:path:_files'
}
_mxc_exec "$@"
"""

FISH = """# Completion of mxc-exec for fish, made from its help.
function __mxc_exec_ours
    not contains -- -- (commandline -opc)
end
function __mxc_exec_command
    set -l words (commandline -opc) (commandline -ct)
    set -l at (contains -i -- -- $words)
    complete -C (string join ' ' -- $words[(math $at + 1)..-1])
end
complete -c mxc-exec -n 'not __mxc_exec_ours' -f -a '(__mxc_exec_command)'
"""


def bash(help_):
    cases = ""
    for option in help_.options:
        if not option.value:
            continue
        do = ":"
        if option.words:
            do = f'mapfile -t COMPREPLY < <(compgen -W "{" ".join(option.words)}" -- "$word")'
        elif option.is_path:
            do = 'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word")'
        if option.optional:
            cases += f'    {option.name}) [[ ${{COMP_WORDS[*]:COMP_CWORD-1}} != *=* ]] || {{ {do}; return; }} ;;\n'
        else:
            cases += f"    {option.name}) {do}; return ;;\n"
    names = " ".join(name for option in help_.options for name in option.names)
    return BASH.replace("@CASES@", cases).replace("@NAMES@", names)


def _zsh_option(option):
    text = option.text.replace("'", "'\\''")
    for special in "[]:":
        text = text.replace(special, "\\" + special)
    value = ""
    if option.value:
        action = f"({' '.join(option.words)})" if option.words else "_files" if option.is_path else " "
        label = option.value.lower().replace(":", " ").replace("[", "").replace("]", "") or "value"
        value = f"{'::' if option.optional else ':'}{label}:{action}"
    # "=" takes the value from the same word or the next, "=-" only from the same
    end = "" if not option.value else "=-" if option.optional else "="
    star = "*" if option.repeated else ""
    return "".join(f"    '{star}{name}{end if name.startswith('--') else ''}[{text}]{value}' \\\n" for name in option.names)


def zsh(help_):
    return ZSH.replace("@OPTIONS@", "".join(_zsh_option(option) for option in help_.options))


def fish(help_):
    lines = [FISH]
    if help_.verbs:
        lines.append(f"complete -c mxc-exec -n __fish_use_subcommand -a '{' '.join(help_.verbs)}'\n")
    for option in help_.options:
        names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
        text = option.text.replace("\\", "\\\\").replace("'", "\\'")
        takes = ""
        if option.value and not option.optional:
            takes = " -r -F" if option.is_path else " -x"
        if option.words:
            takes += f" -a '{' '.join(option.words)}'"
        lines.append(f"complete -c mxc-exec -n __mxc_exec_ours {names}{takes} -d '{text}'\n")
    return "".join(lines)


def main():
    program, share = sys.argv[1], pathlib.Path(sys.argv[2])
    help_ = read_help(program)
    if len(help_.options) < 20:
        sys.exit(f"completions.py: the help of {program} has changed its form: {len(help_.options)} options found")
    system = share.parent.name == "usr"  # of which Debian's zsh knows another folder
    folder = "vendor-completions" if system else "site-functions"
    files = {
        "bash-completion/completions/mxc-exec": bash(help_),
        f"zsh/{folder}/_mxc-exec": zsh(help_),
        "fish/vendor_completions.d/mxc-exec.fish": fish(help_),
        "fish/vendor_completions.d/lxc-exec.fish": "complete -c lxc-exec -w mxc-exec\n",
    }
    for name, text in files.items():
        file = share / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("@VERBS@", " ".join(help_.verbs)))
    link = share / "bash-completion/completions/lxc-exec"  # found by the name of the program
    link.unlink(missing_ok=True)
    link.symlink_to("mxc-exec")


main()
