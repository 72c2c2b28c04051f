/** What the tests may do with control groups of version 2 on this machine. */
import type { Workbench } from "../workbench.ts";

/** The top of the hierarchy where root may limit memory in it; empty: there is none, or the test is not root. */
export const GROUPS_TOP = run(`
[ "$(id -u)" = 0 ] || exit 0
while read -r _ _ _ root place options rest; do
  case " $rest" in *" - cgroup2 "*) ;; *) continue ;; esac
  [ "$root" = / ] && [ ! -e "$place/cgroup.type" ] && [ -w "$place/cgroup.procs" ] || continue
  grep -qw memory "$place/cgroup.controllers" && grep -qw pids "$place/cgroup.controllers" && echo "$place" && exit 0
done < /proc/self/mountinfo`);

/** A group of one server, as systemd delegates it; disposal removes it. */
export class DelegatedGroup implements Disposable {
  readonly directory: string;

  constructor(bench: Workbench, uid: number) {
    this.directory = `${GROUPS_TOP}/${bench.marker}`;
    run(`set -e
for one in memory pids; do echo "+$one" > "${GROUPS_TOP}/cgroup.subtree_control"; done
mkdir "${this.directory}"
chown -R ${uid}:${uid} "${this.directory}"`);
    // Once a server has used it, processes are only in its child groups.
    const lists = ["", "/ahma_mcp-server"].map((below) => `echo $$ > "${this.directory}${below}/cgroup.procs"`);
    const join = `{ ${lists.join(" || ")}; } 2>/dev/null; exec "$@"`;
    bench.machine = ["sh", "-c", join, "sh"];
  }

  [Symbol.dispose](): void {
    run(`find "${this.directory}" -depth -type d -exec rmdir {} \\;`);
  }
}

/** Names of the groups of servers in a directory. */
export function serverGroups(directory: string): readonly string[] {
  return run(`ls "${directory}"`).split("\n").filter((name) => /^ahma_mcp-\d+$/.test(name));
}

function run(script: string): string {
  const { stdout } = new Deno.Command("sh", { args: ["-c", script], stderr: "inherit" }).outputSync();
  return new TextDecoder().decode(stdout).trim();
}
