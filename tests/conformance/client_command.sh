#!/bin/sh
# A client for the official suite: the real program logs in, and lists or calls the tools. The suite adds the server's address.
# A person's browser is curl, which follows the pages. CONFORMANCE_PROGRAM: the program's start script.
set -u
case "$MCP_CONFORMANCE_SCENARIO" in
# Flows without a person, which no version requires.
*client-credentials* | *enterprise* | *dpop* | *wif*) exit 1 ;;
auth/*) ;;
# A call of a configured server.
*) exit 1 ;;
esac
for url; do :; done
home=$(mktemp -d) || exit 1
trap 'rm -rf "$home"' EXIT
printf '#!/bin/sh\nexec curl -sL -o /dev/null "$1"\n' > "$home/browser"
chmod +x "$home/browser"
export HOME="$home" BROWSER="$home/browser"

# {"client_id":"a","client_secret":"b",...}
field() {
  printf %s "${MCP_CONFORMANCE_CONTEXT:-}" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"
}
set -- --oauth-port 0 --oauth-timeout 10 --client-metadata-url https://conformance-test.local/client-metadata.json
id=$(field client_id)
if [ -n "$id" ]; then
  SECRET=$(field client_secret)
  export SECRET
  set -- "$@" --client-id "$id" --client-secret-env SECRET
fi

"$CONFORMANCE_PROGRAM" auth login "$url" "$@" || exit
if [ "$MCP_CONFORMANCE_SCENARIO" = auth/scope-step-up ]; then
  printf '{"mcpServers": {"suite": {"url": "%s", "oauth": {"callbackPort": 0}}}}' "$url" > "$home/mcp.json"
  cd "$home" && mkdir work && cd work || exit
  exec "$CONFORMANCE_PROGRAM" call --mcp-config "$home/mcp.json" suite_test-tool
fi
"$CONFORMANCE_PROGRAM" list-tools --http "$url" && [ "$MCP_CONFORMANCE_SCENARIO" != auth/authorization-server-migration ] && exit
# Its authorization server has changed meanwhile: a person logs in again.
"$CONFORMANCE_PROGRAM" list-tools --http "$url" && exit
"$CONFORMANCE_PROGRAM" auth login "$url" "$@" && "$CONFORMANCE_PROGRAM" list-tools --http "$url"
