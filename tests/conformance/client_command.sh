#!/bin/sh
# A client for the official suite: the real program logs in, and lists or calls the tools. The suite adds the server's
# address. A person's browser is curl, which follows the pages. CONFORMANCE_PROGRAM: the program's start script;
# AHMA_DENO: the runtime. LANES: a directory for locks and for the files of front_client.ts. FRONT: names of scenarios, as
# in LEFT_OUT, whose calls it makes.
set -u
for url; do :; done
# LEFT_OUT: names of scenarios between blanks, without the part before the slash.
case "$LEFT_OUT" in *" ${MCP_CONFORMANCE_SCENARIO#*/} "*) exit 1 ;; esac
case "$FRONT" in *" $MCP_CONFORMANCE_SCENARIO "*)
  # The suite takes its server away when this ends.
  file=$LANES/$MCP_CONFORMANCE_SCENARIO
  mkfifo "$file.end" || exit
  context=${MCP_CONFORMANCE_CONTEXT:-}
  printf '{"url": "%s", "context": %s}' "$url" "${context:-null}" > "$file.new" && mv "$file.new" "$file.json"
  read -r _ < "$file.end"
  exit
  ;;
esac
# The runtime keeps its cache: each scenario would fetch packages and compile the program again.
export DENO_DIR="${DENO_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/deno}"
# The suite begins all scenarios at once, and then none is served in time: three are tried side by side.
exec 9> "$LANES/$(($$ % 3))" && flock 9
home=$(mktemp -d) || exit 1
trap 'rm -rf "$home"' EXIT
printf '#!/bin/sh\nexec curl -sL -o /dev/null "$1"\n' > "$home/browser"
chmod +x "$home/browser"
export HOME="$home" BROWSER="$home/browser"
printf '{"mcpServers": {"suite": {"url": "%s", "oauth": {"callbackPort": 0}}}}' "$url" > "$home/mcp.json"
mkdir "$home/work" && cd "$home/work" || exit

ahma() {
  "$CONFORMANCE_PROGRAM" "$@"
}

# Tries again where a tool is unknown: a list, or a call, waits three seconds for a server, which may take longer on a
# busy machine.
patiently() {
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    "$@"
    [ $? -eq 2 ] || return
  done
  return 1
}

# Calls a tool of the configured server.
call() {
  ahma call --mcp-config "$home/mcp.json" "$@"
}

# Whether the configured server has tools.
list() {
  ahma list-tools --mcp-config "$home/mcp.json" | grep -q '^suite_' || return 2
}

# {"client_id":"a","client_secret":"b",...}
field() {
  printf %s "${MCP_CONFORMANCE_CONTEXT:-}" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"
}

# Logs in, as the client that the suite registered where it did. It tries again where no answer came in time: the suite
# begins all its scenarios at once, and on a busy machine answers the first ones late.
login() {
  set -- --oauth-port 0 --oauth-timeout 60 --client-metadata-url https://conformance-test.local/client-metadata.json
  id=$(field client_id)
  if [ -n "$id" ]; then
    SECRET=$(field client_secret)
    export SECRET
    set -- "$@" --client-id "$id" --client-secret-env SECRET
  fi
  for _ in 1 2 3 4 5; do
    ahma auth login "$url" "$@" 2> "$home/said" && return
    cat "$home/said" >&2
    grep -qE 'due to timeout|no answer within' "$home/said" || return 1
  done
  return 1
}

case "$MCP_CONFORMANCE_SCENARIO" in
auth/scope-step-up)
  login && patiently call suite_test-tool
  ;;
auth/authorization-server-migration)
  login || exit
  # Its authorization server changes while the tools are listed: a person logs in again.
  ahma list-tools --http "$url" || { login && ahma list-tools --http "$url"; }
  ;;
auth/client-credentials-basic)
  # The entry names the issuer, which a person would know.
  issuer=$(curl -s "${url%/mcp}/.well-known/oauth-protected-resource/mcp" |
    sed -n 's/.*"authorization_servers":\["\([^"]*\)".*/\1/p')
  SECRET=$(field client_secret)
  export SECRET
  printf '{"mcpServers": {"suite": {"url": "%s", "oauth": {"grant": "client_credentials", "clientId": "%s",
    "clientSecret": "${env:SECRET}", "issuer": "%s"}}}}' "$url" "$(field client_id)" "$issuer" > "$home/mcp.json"
  patiently list
  ;;
auth/client-credentials-jwt)
  issuer=$(curl -s "${url%/mcp}/.well-known/oauth-protected-resource/mcp" |
    sed -n 's/.*"authorization_servers":\["\([^"]*\)".*/\1/p')
  (umask 077 && printf '%b' "$(field private_key_pem)" > "$home/key.pem")
  printf '{"mcpServers": {"suite": {"url": "%s", "oauth": {"grant": "client_credentials", "clientId": "%s",
    "privateKeyFile": "%s", "issuer": "%s"}}}}' "$url" "$(field client_id)" "$home/key.pem" "$issuer" > "$home/mcp.json"
  patiently list
  ;;
auth/scope-retry-limit)
  login && ahma list-tools --http "$url"
  ;;
auth/*)
  # A list would add the suite's check that a token is sent, alike in all of them: those above have it.
  login
  ;;
tools_call)
  patiently call suite_add_numbers --json '{"a": 5, "b": 3}'
  ;;
*)
  # One of them has no tools, and a list does not wait for a server that is late.
  ahma servers test --mcp-config "$home/mcp.json"
  ;;
esac
