import type { Project } from "./project.ts";

/** Programs in a terminal of their own, one behind tmux. */
const TERMINALS = `script -qec 'test -t 1 && git --version' /dev/null
tmux -L own -f /dev/null new-session -d 'git --version > version; tmux -L own wait-for -S seen; tmux -L own wait-for never'
tmux -L own wait-for seen && cat version && tmux -L own kill-server`;

const REPOSITORIES =
  `export GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t@e.invalid GIT_COMMITTER_NAME=T GIT_COMMITTER_EMAIL=t@e.invalid
set -e
git init -q -b main library
printf 'out:\\n\\techo made by a submodule\\n' > library/Makefile
git -C library add . && git -C library commit -q -m library
git init -q -b main . && echo library > .gitignore
git -c protocol.file.allow=always submodule --quiet add "$PWD/library" vendored
git add . && git commit -q -m project
git -c protocol.file.allow=always clone -q --recurse-submodules . copy
make -s -C copy/vendored
git -C copy log --format=%s
`;

/** A repository with a submodule, cloned and built. The second run keeps no caches of it: it repeats the terminals only. */
export const GIT_PROJECT: Project = {
  name: "git",
  programs: ["git", "make", "script", "tmux"],
  files: {},
  cold: REPOSITORIES + TERMINALS,
  warm: `set -e\n${TERMINALS}`,
  expected: /^made by a submodule\nproject\ngit version .*\r?\ngit version /m,
  expectedWarm: /^git version .*\r?\ngit version /m,
};
