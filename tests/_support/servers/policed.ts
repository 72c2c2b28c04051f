/** A machine with a policy: mounts of its own, in which `/etc` is a copy with that file (S37). Root alone makes it. */
import type { Workbench } from "../workbench.ts";

/** Why tests with a policy are skipped here; undefined: they run. */
export const NO_POLICY = Deno.uid() === 0 && Deno.build.os === "linux" ? undefined : "only root can write a policy";

/** The content of `/etc/ahma` on the machine. */
export interface PolicedMachine {
  /** An object, or the text of the file. */
  readonly policy: unknown;
  /** Lines of a shell, run by root in `/etc/ahma` before the program starts; `$PWD/..` is the machine's `/etc`. */
  readonly change?: string;
}

/**
 * From now on programs of the bench run on such a machine. Gives the path of the text that a later start gets.
 */
export function police(bench: Workbench, { policy, change = "" }: PolicedMachine): string {
  const text = typeof policy === "string" ? policy : JSON.stringify(policy);
  const etc = `${bench.parent}/etc`;
  const file = `${bench.parent}/policy.json`;
  Deno.mkdirSync(etc, { recursive: true });
  Deno.writeTextFileSync(file, text, { mode: 0o644 });
  const lines = [
    `mount -t tmpfs -o mode=755 none ${etc}`,
    // Its files, and where links of programs lead: all that commands of tests need, at a tenth of the time.
    `cp -d --preserve=mode,ownership /etc/* ${etc} 2> /dev/null || true`,
    `[ ! -d /etc/alternatives ] || cp -a /etc/alternatives ${etc}`,
    `mkdir -m 755 ${etc}/ahma`,
    `(cd ${etc}/ahma && umask 022 && cat ${file} > policy.json && ${change === "" ? "true" : `{ ${change}\n}`})`,
    `mount --rbind ${etc} /etc`,
    'exec "$@"',
  ];
  bench.machine = ["unshare", "--mount", "sh", "-ec", lines.join("\n"), "sh"];
  return file;
}
