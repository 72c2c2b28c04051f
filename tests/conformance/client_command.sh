#!/bin/sh
# A client for the official suite. The suite adds the server's address. FRONT: names of scenarios between blanks, without
# the part before the slash, whose client waits for their files in LANES (scenarios.ts). LEFT_OUT: others, which are not
# tried. For the rest the real program logs in, and lists the tools. A person's browser is curl, which follows the pages.
# CONFORMANCE_PROGRAM: the program's start script; AHMA_DENO: the runtime.
set -u
for url; do :; done
name=${MCP_CONFORMANCE_SCENARIO#*/}
case "$LEFT_OUT" in *" $name "*) exit 1 ;; esac
case "$FRONT" in *" $name "*)
  # The suite takes its server away when this ends.
  file=$LANES/$name
  mkfifo "$file.end" || exit
  context=${MCP_CONFORMANCE_CONTEXT:-}
  printf '{"url": "%s", "context": %s}' "$url" "${context:-null}" > "$file.new" && mv "$file.new" "$file.json"
  read -r _ < "$file.end"
  exit
  ;;
esac
# The runtime keeps its cache: each scenario would fetch packages and compile the program again.
export DENO_DIR="${DENO_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/deno}"
home=$(mktemp -d) || exit 1
trap 'rm -rf "$home"' EXIT
printf '#!/bin/sh\nexec curl -sL -o /dev/null "$1"\n' > "$home/browser"
chmod +x "$home/browser"
export HOME="$home" BROWSER="$home/browser"
mkdir "$home/work" && cd "$home/work" || exit

list() {
  "$CONFORMANCE_PROGRAM" list-tools --http "$url"
}

# {"client_id":"a","client_secret":"b",...}
field() {
  printf %s "$MCP_CONFORMANCE_CONTEXT" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"
}

# Tries again where no answer came in time: the suite begins all its scenarios at once, and on a busy machine answers the
# first ones late.
login() {
  set -- --oauth-port 0 --oauth-timeout 60 --client-metadata-url https://conformance-test.local/client-metadata.json
  if [ "$name" = pre-registration ]; then
    SECRET=$(field client_secret)
    export SECRET
    set -- "$@" --client-id "$(field client_id)" --client-secret-env SECRET
  fi
  for _ in 1 2 3 4 5; do
    "$CONFORMANCE_PROGRAM" auth login "$url" "$@" 2> "$home/said" && return
    cat "$home/said" >&2
    grep -qE 'due to timeout|no answer within' "$home/said" || return 1
  done
  return 1
}

case $name in
# Logins with flags of their own.
basic-cimd | pre-registration) login ;;
scope-retry-limit) login && list ;;
# Its authorization server changes while the tools are listed: a person logs in again.
authorization-server-migration) login && { list || { login && list; }; } ;;
esac
