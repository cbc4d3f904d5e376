#!/bin/sh
# A whole loop of a real agent through its recipe in docs/integrations.md, in a network namespace with a model of ours:
#
#   MXC_TEST_AGENTS=1 sh tests/agents/run.sh build/release/mxc-exec codex          as root
#   MXC_TEST_AGENTS=1 sh tests/agents/run.sh build/release/mxc-exec codex user     as uid 23456
#
# The model asks for a command that reads, writes and reaches what the policy does not grant, and then for another. All is judged
# from outside. The agents are installed by npm, at the versions below, in MXC_AGENTS (/var/tmp/mxc-agents), and stay there. Exit status 77: skipped.
set -eu
program=$(realpath "$1")
agent=$2
caller=${3:-root}
source=$(cd "$(dirname "$0")/../.." && pwd)
model=192.0.2.1 unlisted=192.0.2.2 port=8000

skip() {
  echo "skipped: $*"
  exit 77
}
fail() {
  echo "$agent as $caller: $*" >&2
  test ! -s "$area/results" || cat "$area/results" >&2
  tail -n 20 "$area/log" >&2
  exit 1
}
test "${MXC_TEST_AGENTS:-0}" = 1 || skip "the agents are packages of 60 to 250 MB: MXC_TEST_AGENTS=1 downloads them"
test "$(id -u)" = 0 || skip "needs root, for a network namespace"
for tool in npm node curl ip setpriv; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done

case $agent in # what the recipe's last line is called with, to ask one question
  claude) title="Claude Code" package=@anthropic-ai/claude-code@2.1.330 question="-p 'run it' --allowedTools Bash" ;;
  opencode) title=opencode package=opencode-ai@1.18.33 question="run 'run it'" ;;
  codex) title=Codex package=@openai/codex@0.169.0 question="exec --skip-git-repo-check 'run it'" ;;
  copilot) title="Copilot CLI" package=@github/copilot@1.0.102 question="-p 'run it'" ;;
  *) echo "no such agent: $agent" >&2; exit 1 ;;
esac
agents=${MXC_AGENTS:-/var/tmp/mxc-agents}
place=$agents/$agent-${package##*@}
if ! test -d "$place"; then
  mkdir -p "$agents"
  new=$(mktemp -d "$agents/new-XXXXXX")
  npm install -g --prefix "$new" --no-audit --no-fund --loglevel=error "$package" >/dev/null || skip "npm cannot install $package"
  chmod 755 "$new"
  mv -T "$new" "$place" 2>/dev/null || rm -rf "$new" # another test was first
fi

if test "${IN_NAMESPACE:-0}" != 1; then
  IN_NAMESPACE=1 exec unshare --net -- sh "$0" "$@"
fi
ip link set lo up
ip address add $model/32 dev lo
ip address add $unlisted/32 dev lo

area=$(mktemp -d /var/tmp/mxc-agent-XXXXXX)
servers=
trap 'for server in $servers; do kill "$server"; done 2>/dev/null; rm -rf "$area"' EXIT
home=$area/home project=$area/home/src/project
mkdir -p "$area/bin" "$project"
cp "$program" "$area/bin/mxc-exec"
ln -s mxc-exec "$area/bin/mxc-sh"
echo marker-of-the-host >"$area/marker"
: >"$area/results"
: >"$area/log"

as() { "$@"; }
if test "$caller" = user; then
  chmod 755 "$area"
  chown -R 23456:23456 "$home"
  as() { setpriv --reuid 23456 --regid 23456 --clear-groups --inh-caps=-all "$@"; }
fi

cat >"$area/unlisted.mjs" <<'JS'
import fs from 'node:fs';
import http from 'node:http';
const [address, port, log] = process.argv.slice(2);
http.createServer((_, response) => { fs.writeFileSync(log, 'reached'); response.end(); }).listen(Number(port), address);
JS
first="echo inside >made; cat $area/marker; echo x >$home/written; curl -sS -m 5 http://$unlisted:$port/; echo told the agent; exit 7"
COMMANDS="[\"$first\", \"echo went on >>made\"]" RESULTS=$area/results node "$source/tests/agents/model_server.mjs" $model $port &
servers=$!
node "$area/unlisted.mjs" $unlisted $port "$area/reached" &
servers="$servers $!"
for address in $model $unlisted; do
  curl -s --retry 20 --retry-connrefused --retry-delay 1 -o /dev/null "http://$address:$port/" || fail "no server at $address"
done
rm "$area/reached"

# The first block of the agent's section, asked the question, with the model's address for the first host that it names.
recipe=$(awk -v title="## $title" '$0 == title {on = 1} on && /^```$/ {exit} on && block {print} on && /^```sh/ {block = 1}' \
  "$source/docs/integrations.md" | sed -e "\$s|\$| $question|" -e "s|--allow-host [^ ]*|--allow-host $model:$port|")

# What an agent has to be told for a model of another's.
passed=
case $agent in
  claude)
    export ANTHROPIC_BASE_URL="http://$model:$port" ANTHROPIC_API_KEY=x DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 ;;
  opencode)
    export OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_CONFIG_CONTENT='{"model": "ours/m",
      "provider": {"ours": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "http://'$model:$port'/v1", "apiKey": "x"},
        "models": {"m": {"tool_call": true, "limit": {"context": 100000, "output": 4000}}}}},
      "permission": {"bash": "allow", "external_directory": "allow"}}' ;;
  codex)
    as mkdir "$home/.codex"
    printf '%s\n' 'model_provider = "ours"' 'model = "m"' '[model_providers.ours]' 'name = "ours"' 'wire_api = "responses"' \
      "base_url = \"http://$model:$port/v1\"" | as tee "$home/.codex/config.toml" >/dev/null ;;
  copilot)
    export COPILOT_OFFLINE=true COPILOT_PROVIDER_BASE_URL="http://$model:$port/v1" COPILOT_PROVIDER_API_KEY=x COPILOT_MODEL=m \
      COPILOT_AUTO_UPDATE=false
    passed="COPILOT_OFFLINE COPILOT_PROVIDER_BASE_URL COPILOT_PROVIDER_API_KEY COPILOT_MODEL COPILOT_AUTO_UPDATE" ;;
esac
recipe=$(printf '%s\n' "$recipe" | sed "s|--env HOME|--env HOME $passed|")
echo "$recipe" >"$area/recipe"

cd "$project"
as env HOME="$home" PATH="$area/bin:$place/bin:$PATH" USER= timeout 300 bash "$area/recipe" </dev/null >"$area/log" 2>&1 ||
  fail "the agent ended with $?"

test "$(cat made 2>/dev/null)" = "inside
went on" || fail "its commands did not both run in the project"
! grep -q marker-of-the-host "$area/results" || fail "a file outside of the policy was read"
test ! -e "$home/written" || fail "a file outside of the policy was written"
test ! -e "$area/reached" || fail "a host outside of the policy was reached"
head -n 1 "$area/results" | grep -q 'told the agent' || fail "the agent did not get the output"
case $agent in
  opencode) ;; # tells its model no status
  *) head -n 1 "$area/results" | grep -Eq '(code|status)"?[: ]+7' || fail "the agent did not get the exit status" ;;
esac
case $recipe in
  *mxc-exec*--*) ;;
  *) head -n 1 "$area/results" | grep -q 'mxc-exec: refused: .*written' || fail "the agent was not told what was refused" ;;
esac
echo "$agent as $caller: done"
