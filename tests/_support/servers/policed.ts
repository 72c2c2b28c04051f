/** A machine with a policy: mounts of its own, in which `/etc` is a copy with that file (S37). Root alone makes it. */
import type { Workbench } from "../workbench.ts";

/** Why tests with a policy are skipped here; undefined: they run. */
export const NO_POLICY = Deno.uid() === 0 && Deno.build.os === "linux" ? undefined : "only root can write a policy";

/** The content of `/etc/ahma` on the machine. */
export interface PolicedMachine {
  /** An object, or the text of the file. */
  readonly policy: unknown;
  /** Lines of a shell, run by root in `/etc/ahma`; `..` is the machine's `/etc`, which keeps what it makes there. */
  readonly change?: string;
}

/** From now on programs of the bench run on such a machine, running ones too. Gives the path of the policy. */
export function police(bench: Workbench, { policy, change = "" }: PolicedMachine): string {
  const text = typeof policy === "string" ? policy : JSON.stringify(policy);
  const etc = `${bench.parent}/etc`;
  const file = `${etc}/ahma/policy.json`;
  const lines = [
    "umask 022",
    `[ -d ${etc} ] || { mkdir -p ${etc}/alternatives; cp -d --preserve=mode,ownership /etc/* ${etc} 2> /dev/null || true; }`,
    `chmod 755 ${etc}; rm -rf ${etc}/ahma; mkdir -m 755 ${etc}/ahma; cd ${etc}/ahma; printf %s "$1" > policy.json`,
    change,
  ];
  const { success, stderr } = new Deno.Command("sh", { args: ["-ec", lines.join("\n"), "sh", text] }).outputSync();
  if (!success) throw new Error(`Cannot make the policy of ${etc}: ${new TextDecoder().decode(stderr)}`);
  // Files of /etc, and where links of programs lead: all that commands of tests need.
  const mounts =
    `[ ! -d /etc/alternatives ] || mount --bind /etc/alternatives ${etc}/alternatives; mount --rbind ${etc} /etc`;
  bench.machine = ["unshare", "--mount", "sh", "-ec", `${mounts}; exec "$@"`, "sh"];
  return file;
}
