#!/bin/sh
# A whole loop of a real agent through a recipe of docs/integrations.md, in a network namespace with a model of ours:
#
#   MXC_TEST_AGENTS=1 sh tests/agents/run.sh build/release/mxc-exec claude install
#   MXC_TEST_AGENTS=1 sh tests/agents/run.sh build/release/mxc-exec claude root 2
#
# The first installs the agent by npm, at the version below, in MXC_AGENTS (/var/tmp/mxc-agents), where it stays. The other is the second
# block of the agent's section, as root; `user` is uid 23456. The model has the name of the agent's provider. It asks for a command
# that reads, writes and reaches what the policy does not grant, and then for another; all is judged from outside. Exit status 77: skipped.
set -eu
program=$(realpath "$1")
agent=$2
caller=$3
block=${4:-1}
source=$(cd "$(dirname "$0")/../.." && pwd)
model=192.0.2.1 unlisted=192.0.2.2

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
for tool in npm node curl ip setpriv openssl; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done

case $agent in # what the recipe's last line is called with, to ask one question
  claude) title="Claude Code" package=@anthropic-ai/claude-code@2.1.330 question="-p 'run it' --allowedTools Bash" ;;
  opencode) title=opencode package=opencode-ai@1.18.33 question="run 'run it'" ;;
  codex) title=Codex package=@openai/codex@0.169.0 question="exec -m m --skip-git-repo-check 'run it'" ;;
  copilot) title="Copilot CLI" package=@github/copilot@1.0.102 question="-p 'run it'" ;;
  gemini)
    title="Gemini CLI" package=@google/gemini-cli@0.61.0 question="-m gemini-2.5-flash -p 'run it'"
    node -e 'process.exit(Number(process.versions.node.split(".")[0] < 20))' || skip "Gemini CLI needs Node.js 20"
    ;;
  *) echo "no such agent: $agent" >&2; exit 1 ;;
esac
agents=${MXC_AGENTS:-/var/tmp/mxc-agents}
place=$agents/$agent-${package##*@}
if test "$caller" = install; then
  test ! -d "$place" || exit 0
  mkdir -p "$agents"
  new=$(mktemp -d "$agents/new-XXXXXX")
  trap 'rm -rf "$new" "$new.log"' EXIT
  timeout 240 npm install -g --prefix "$new" --no-audit --no-fund --loglevel=error --fetch-retries=1 --fetch-timeout=30000 \
    "$package" >"$new.log" 2>&1 || {
    reason=$(grep 'npm error' "$new.log" | grep -Ev 'error (code|syscall|errno)' | head -n 1)
    skip "npm cannot install $package: ${reason:-it took more than four minutes}"
  }
  chmod 755 "$new"
  mv -T "$new" "$place"
  exit 0
fi
test -d "$place" || skip "$agent is not installed: the same with \`install\` does it"

if test "${IN_NAMESPACE:-0}" != 1; then
  IN_NAMESPACE=1 exec unshare --net --mount -- sh "$0" "$@"
fi

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

# The names that agents know their models by, and a certificate for them.
names="api.anthropic.com api.openai.com model.githubcopilot.com opencode.ai generativelanguage.googleapis.com"
printf '%s\n' "127.0.0.1 localhost" "$model $names" "$unlisted unlisted.example" >"$area/hosts"
mount --bind "$area/hosts" /etc/hosts
ip link set lo up
ip address add $model/32 dev lo
ip address add $unlisted/32 dev lo
(
  cd "$area"
  for name in $names; do echo "DNS:$name"; done | paste -sd, | sed 's/^/subjectAltName=/' >extensions
  key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
  # shellcheck disable=SC2086 # words
  openssl req -x509 $key -days 2 -subj /CN=test -keyout ca.key -out "$project/ca.pem"
  # shellcheck disable=SC2086
  openssl req $key -subj /CN=model -keyout server.key -out request.pem
  openssl x509 -req -days 2 -in request.pem -CA "$project/ca.pem" -CAkey ca.key -CAcreateserial -extfile extensions -out server.pem
) >/dev/null 2>&1

as() { "$@"; }
if test "$caller" = user; then
  chmod 755 "$area"
  chown -R 23456:23456 "$home"
  as() { setpriv --reuid 23456 --regid 23456 --clear-groups --inh-caps=-all "$@"; }
fi

cat >"$area/unlisted.mjs" <<'JS'
import fs from 'node:fs';
import http from 'node:http';
const [address, log] = process.argv.slice(2);
http.createServer((_, response) => { fs.writeFileSync(log, 'reached'); response.end(); }).listen(80, address);
JS
first="echo inside >made; cat $area/marker; echo x >$home/written; curl -sS -m 5 http://unlisted.example/ http://$unlisted/; \
echo told the agent; exit 7"
COMMANDS="[\"$first\", \"echo went on >>made\"]" RESULTS=$area/results node "$source/tests/agents/model_server.mjs" $model "$area" &
servers=$!
node "$area/unlisted.mjs" $unlisted "$area/reached" &
servers="$servers $!"
serves() { # URL
  for _ in $(seq 300); do
    ! curl -s -o /dev/null --cacert "$project/ca.pem" "$1" || return 0
    sleep 0.1
  done
  fail "nobody serves $1"
}
serves https://api.openai.com/
serves http://unlisted.example/
test -e "$area/reached" || fail "the unlisted host cannot be reached at all"
rm "$area/reached"

# What each has to be told to find its model here; where the agent is inside, its variables have to be handed in.
export NODE_EXTRA_CA_CERTS="$project/ca.pem" SSL_CERT_FILE="$project/ca.pem"
passed="NODE_EXTRA_CA_CERTS SSL_CERT_FILE"
case $agent in
  claude) export ANTHROPIC_API_KEY=x DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 ;;
  opencode)
    export ANTHROPIC_API_KEY=x OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_CONFIG_CONTENT='{"model": "ours/m",
      "provider": {"ours": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "https://opencode.ai/v1", "apiKey": "x"},
        "models": {"m": {"tool_call": true, "limit": {"context": 100000, "output": 4000}}}}},
      "permission": {"bash": "allow", "external_directory": "allow"}}'
    passed="$passed OPENCODE_DISABLE_MODELS_FETCH OPENCODE_CONFIG_CONTENT" ;;
  codex) export CODEX_API_KEY=x ;;
  copilot)
    export COPILOT_OFFLINE=true COPILOT_PROVIDER_BASE_URL=https://model.githubcopilot.com/v1 COPILOT_PROVIDER_API_KEY=x COPILOT_MODEL=m \
      GH_TOKEN=x
    passed="$passed COPILOT_OFFLINE COPILOT_PROVIDER_BASE_URL COPILOT_PROVIDER_API_KEY COPILOT_MODEL" ;;
  gemini) export GEMINI_API_KEY=x ;;
esac
awk -v title="## $title" -v block="$block" '/^## / {on = $0 == title} /^```$/ {inside = 0} on && inside && number == block {print}
  on && /^```sh/ {inside = 1; ++number}' "$source/docs/integrations.md" |
  sed -e "\$s|\$| $question|" -e "s|--env |--env $passed |" >"$area/recipe"
test -s "$area/recipe" || fail "docs/integrations.md has no such recipe"

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
  *) head -n 1 "$area/results" | grep -Eiq '(code|status)"?[: ]+7' || fail "the agent did not get the exit status" ;;
esac
grep -q -- '-- ' "$area/recipe" ||
  head -n 1 "$area/results" | grep -q 'mxc-exec: refused: .*written' || fail "the agent was not told what was refused"
echo "$agent as $caller: done"
