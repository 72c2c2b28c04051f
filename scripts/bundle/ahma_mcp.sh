#!/bin/sh
# Runs the packed program in this script's directory with deno: the one in AHMA_DENO, else the first on PATH.
# It uses words built into the shell only, so that a start costs no process but the runtime.

# Empty and relative entries of PATH count from the project that the server is started in: commands write there, so
# that nothing is run from them.
places=
IFS=:
set -f
for place in $PATH; do
  case $place in /*) places=$places:$place ;; esac
done
places=${places#:}

self=$0
if [ -L "$self" ]; then self=$(PATH=$places readlink -f "$self"); fi
case $self in */*) folder=${self%/*} ;; *) folder=. ;; esac

name=${AHMA_DENO:-deno}
deno=
case $name in
  */*) deno=$name ;;
  *)
    for place in $places; do
      if [ -f "$place/$name" ] && [ -x "$place/$name" ]; then
        deno=$place/$name
        break
      fi
    done
    ;;
esac
unset IFS
set +f
if ! [ -f "$deno" ] || ! [ -x "$deno" ]; then
  echo "Cannot start ahma_mcp: \"$name\" was not found; install deno (npm install -g deno) or set AHMA_DENO to its path" >&2
  exit 1
fi

# The runtime ends in a panic without it. macOS has none.
if ! [ -e /proc/self/exe ] && ! [ -d /System/Library ]; then
  echo "Cannot start ahma_mcp: /proc/self/exe cannot be opened: mount /proc" >&2
  exit 1
fi

# npm's package may stand there as a program for Node, which does not forward signals: the runtime that it starts runs
# instead, from the package itself or from the package of this platform. Where npm's link leads to the runtime itself,
# that is seen without a process.
real=$deno
if [ -L "$deno" ] && ! [ "$deno" -ef "${deno%/*}/../lib/node_modules/deno/deno" ]; then real=$(PATH=$places readlink -f "$deno"); fi
case $real in
  */bin.cjs)
    package=${real%/*}
    native=$package/deno
    if ! [ -x "$native" ]; then
      case $(PATH=$places uname -sm) in
        "Linux x86_64") platform=linux-x64-glibc ;;
        "Linux aarch64") platform=linux-arm64-glibc ;;
        "Darwin x86_64") platform=darwin-x64 ;;
        *) platform=darwin-arm64 ;;
      esac
      native=$package/node_modules/@deno/$platform/deno
      if ! [ -x "$native" ]; then native=${package%/*}/@deno/$platform/deno; fi
    fi
    if [ -x "$native" ]; then deno=$native; fi
    ;;
esac

# The runtime obeys options and descriptors of Node.js too; commands get the options by --env.
if [ -n "$NODE_OPTIONS" ]; then export nODE_OPTIONS="$NODE_OPTIONS"; fi
unset DENO_PERMISSION_BROKER_PATH NODE_OPTIONS NODE_CHANNEL_FD OTEL_DENO DENO_V8_FLAGS

# The runtime adds nothing of its own to what commands see. The program compares the process id with its own: another
# one tells of a program that stands between, whose end it must notice by itself.
export DENO_NO_UPDATE_CHECK=1 DENO_DISABLE_NODE_SHIM=1 AHMA_SCRIPT_PID=$$
exec "$deno" run @FLAGS@ "$folder/ahma_mcp.mjs" "$@"
