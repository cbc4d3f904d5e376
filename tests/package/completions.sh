#!/bin/sh
# Completes command lines in the shells that are installed: sh tests/package/completions.sh SHARE, what is installed as /usr/share
set -eu
share=$(realpath "$1")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
touch policy.json
mkdir work

is() { # is SHELL LINE COMPLETED EXPECTED
  test "$3" = "$4" || { echo "$1 completes '$2' to '$3', not to '$4'" >&2; exit 1; }
}

in_bash() { # in_bash WORD...
  bash --norc -c '
    . "$1"
    shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
    _mxc_exec 2>/dev/null
    printf "%s\n" "${COMPREPLY[@]}"' bash "$share/bash-completion/completions/mxc-exec" "$@" | sort | tr '\n' ' ' | sed 's/ $//'
}

in_fish() { # in_fish LINE
  HOME=$place fish --no-config -c "source '$share/fish/vendor_completions.d/$2'; complete -C '$1'" | cut -f 1 | sort |
    tr '\n' ' ' | sed 's/ $//'
}

# An interactive zsh on a terminal of its own, which reads its functions for two seconds: what stands on each line after the
# key is printed in place of a run.
in_zsh() { # in_zsh LINE...
  HOME=$place ZDOTDIR=$place zsh -f -c '
    zmodload zsh/zpty
    zpty z zsh -f -i
    zpty -w z "PS1=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; mxc-exec() { print -r -- \"<\$*>\" }; echo rea\"\"dy"
    zpty -r -m z line "*ready*" || exit 1
    shift
    for typed; do
      zpty -w -n z "$typed"$'"'\\t\\n'"'
      zpty -r -m z line "*<*>*" || exit 1
      print -r -- "${${line##*<}%%>*}"
    done' zsh "$share/zsh/site-functions" "$@"
}

is bash 'mxc-exec --dry' "$(in_bash mxc-exec --dry)" --dry-run
is bash 'mxc-exec --containment land' "$(in_bash mxc-exec --containment land)" landlock
is bash 'mxc-exec --containment=land' "$(in_bash mxc-exec --containment = land)" landlock
is bash 'mxc-exec --explain=j' "$(in_bash mxc-exec --explain = j)" json
is bash 'mxc-exec --explain po' "$(in_bash mxc-exec --explain po)" policy.json
is bash 'mxc-exec --rw wo' "$(in_bash mxc-exec --rw wo)" work
is bash 'mxc-exec po' "$(in_bash mxc-exec po)" policy.json
is bash 'mxc-exec --rw . -- --dry' "$(in_bash mxc-exec --rw . -- --dry)" ''
is bash 'mxc-exec --rw . -- cat po' "$(in_bash mxc-exec --rw . -- cat po)" policy.json

if command -v fish >/dev/null; then
  is fish 'mxc-exec --dry' "$(in_fish 'mxc-exec --dry' mxc-exec.fish)" --dry-run
  is fish 'mxc-exec --containment land' "$(in_fish 'mxc-exec --containment land' mxc-exec.fish)" landlock
  is fish 'mxc-exec --rw wo' "$(in_fish 'mxc-exec --rw wo' mxc-exec.fish)" work/
  is fish 'mxc-exec --rw . -- cat po' "$(in_fish 'mxc-exec --rw . -- cat po' mxc-exec.fish)" policy.json
fi
if command -v zsh >/dev/null; then
  in_zsh 'mxc-exec --dry' 'mxc-exec --containment land' 'mxc-exec --explain=j' 'mxc-exec --rw wo' \
    'mxc-exec --rw . -- cat po' >completed
  printf '%s\n' --dry-run '--containment landlock' --explain=json '--rw work' '--rw . -- cat policy.json' >expected
  diff expected completed || { echo "zsh completes otherwise" >&2; exit 1; }
fi
