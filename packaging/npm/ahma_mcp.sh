#!/bin/sh
# Runs the packed program in this script's directory with the runtime that npm installed for this platform.
# The runtime takes the place of this script: no other process stays.

places=/usr/bin:/bin:/run/current-system/sw/bin
fail() {
  echo "Cannot start ahma_mcp: $1" >&2
  exit 1
}

self=$(PATH=$places readlink -f "$0") || self=$0
folder=${self%/*}
package=${folder%/*}

machine=$(PATH=$places uname -sm)
case $machine in
  "Linux x86_64") platform=linux-x64-glibc loader=/lib64/ld-linux-x86-64.so.2 ;;
  "Linux aarch64") platform=linux-arm64-glibc loader=/lib/ld-linux-aarch64.so.1 ;;
  "Darwin x86_64") platform=darwin-x64 loader=/ ;;
  "Darwin arm64") platform=darwin-arm64 loader=/ ;;
  *) fail "there is no runtime for $machine, only for Linux and macOS on x86-64 and arm64" ;;
esac
if ! [ -e "$loader" ]; then
  fail "the runtime needs glibc 2.27 or newer, and this system has no $loader. Use a system with glibc; Alpine has musl"
fi

if ! [ -e /proc/self/exe ] && [ "$loader" != / ]; then fail "/proc/self/exe cannot be opened: mount /proc"; fi

# npm puts packages below the one that needs them, or next to it.
runtime=$package/node_modules/@deno/$platform/deno
if ! [ -x "$runtime" ]; then runtime=${package%/*}/@deno/$platform/deno; fi
if ! [ -x "$runtime" ]; then
  fail "the package @deno/$platform is missing. Install ahma_mcp again on this machine, with --include=optional"
fi

# The runtime obeys options and descriptors of Node.js too; commands get the options by --env.
if [ -n "$NODE_OPTIONS" ]; then export nODE_OPTIONS="$NODE_OPTIONS"; fi
unset DENO_PERMISSION_BROKER_PATH NODE_OPTIONS NODE_CHANNEL_FD OTEL_DENO DENO_V8_FLAGS

# The runtime adds nothing of its own to what commands see. The program compares the process id with its own.
export DENO_NO_UPDATE_CHECK=1 DENO_DISABLE_NODE_SHIM=1 AHMA_SCRIPT_PID=$$
exec "$runtime" run @FLAGS@ "$folder/ahma_mcp.mjs" "$@"
