/** Launchers that run no command: one waits with what it has created, one ends by itself. */
import { describeFailure, failureIn, type StepFailure } from "../launch/launcher_reports.ts";
import type { LauncherImage, LauncherProcess, LauncherStatus, Spawner } from "../../spawn.ts";
import type { Table } from "../../../sandbox/launcher/image/table.ts";
import { type LaunchTarget, socketsTable } from "../../../sandbox/launcher/policy_table.ts";
import { FIRST_SOCKET_FD, type SharedNetwork, SOCKETS } from "../../../sandbox/launcher/steps/network_steps.ts";

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

/** How a launcher ended. */
export interface Trial extends LauncherStatus {
  readonly output: Uint8Array<ArrayBuffer>;
  /** The step that failed; undefined: none did. */
  readonly failed: StepFailure | undefined;
}

/** Runs a table that ends by itself. @throws {Error} When the system cannot start a process. */
export async function runTrial(spawner: Pick<Spawner, "image" | "start">, table: Table): Promise<Trial> {
  const image = spawner.image(table);
  try {
    const { output, reports, status } = spawner.start(image, "null");
    const [written, told, { code, signal }] = await Promise.all([
      new Response(output).bytes(),
      new Response(reports).bytes(),
      status,
    ]);
    return { output: written, failed: failureIn(told), code, signal };
  } finally {
    image.dispose();
  }
}

async function problemOf({ reports }: LauncherProcess, { steps }: LauncherImage): Promise<string> {
  const failed = failureIn(await new Response(reports).bytes());
  return failed === undefined ? NOT_HANDED_OVER : describeFailure(failed, steps, "a command");
}

/** The reason if the maker itself gives none. */
export const NOT_HANDED_OVER = "the system does not hand it over";

/** Unconnected sockets of one family, which stay in that network. @throws {Error} When the system makes none. */
export async function makeSocketsIn(
  network: SharedNetwork,
  family: 4 | 6,
  { spawner, target }: { readonly spawner: Spawner; readonly target: LaunchTarget },
): Promise<readonly number[]> {
  const image = spawner.image(socketsTable(network, target, family));
  try {
    await using maker = await startMaker(spawner, image);
    if (maker.problem !== undefined) throw new Error(maker.problem);
    return Array.from({ length: SOCKETS }, (_, at) => spawner.takeDescriptor(maker.pid, FIRST_SOCKET_FD + at));
  } finally {
    image.dispose();
  }
}
