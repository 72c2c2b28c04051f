/** A launcher that creates a kernel object, and waits while the server takes it over. */
import { describeFailure, failureIn } from "../launch/launcher_reports.ts";
import type { LauncherImage, LauncherProcess, Spawner } from "../../spawn.ts";

/** Disposal ends it. */
export interface Maker extends AsyncDisposable {
  readonly pid: number;
  /** Why nothing was created; undefined: everything was. */
  readonly problem: string | undefined;
}

/** Starts it, and waits until everything is created. @throws {Error} When the system cannot start a process. */
export async function startMaker(spawner: Pick<Spawner, "start">, image: LauncherImage): Promise<Maker> {
  const maker = spawner.start(image, "piped");
  const output = maker.output.getReader();
  const { done } = await output.read();
  return {
    pid: maker.pid,
    problem: done ? await problemOf(maker, image) : undefined,
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([maker.stdin.close(), output.cancel(), maker.reports.cancel(), maker.status]);
    },
  };
}

async function problemOf({ reports }: LauncherProcess, { steps }: LauncherImage): Promise<string> {
  const failed = failureIn(await new Response(reports).bytes());
  return failed === undefined ? NOT_HANDED_OVER : describeFailure(failed, steps, "a command");
}

/** The reason if the maker itself gives none. */
export const NOT_HANDED_OVER = "the system does not hand it over";
