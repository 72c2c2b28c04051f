import type { Table } from "../../sandbox/launcher/image/table.ts";
import type { Sandbox } from "../../sandbox/prepare_linux.ts";
import { SYSTEM_CALLS } from "../../system/syscalls.ts";
import { type LauncherImage, Spawner } from "../spawn.ts";

const SYS = SYSTEM_CALLS[Deno.build.arch === "aarch64" ? "aarch64" : "x86_64"];

export type TakenEntry = Table["entries"][number];

/** Whether a call of a table is left out: one that does nothing takes its place. */
export type TakesCall = (entry: TakenEntry, step: string) => boolean;

/** For tests: its tables lack calls, the kernel is this one. */
export class ReducedSpawner extends Spawner {
  readonly #takes: TakesCall | undefined;

  constructor(sandbox: Sandbox, takes: TakesCall | undefined) {
    super(sandbox.processor, sandbox.directories.root);
    this.#takes = takes;
  }

  override image(table: Table): LauncherImage {
    const whole = [...table.entries];
    whole.forEach((entry, at) => {
      const isTaken = this.#takes?.(entry, table.steps[entry.step] ?? "") === true;
      if (isTaken) table.entries[at] = { ...entry, number: SYS.getpid, mode: "soft" };
    });
    const image = super.image(table);
    table.entries.splice(0, whole.length, ...whole);
    return image;
  }
}

/** Without it a command is in no Landlock domain. */
export function isRestriction({ number }: TakenEntry): boolean {
  return number === SYS.landlock_restrict_self;
}
