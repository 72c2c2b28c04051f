/** One server for many short tests: its start costs more processor time than most of what is proved with it. */
import { ServerProcess, type StartOptions } from "./server_process.ts";
import { type User, Workbench } from "./workbench.ts";

/** A test that takes steps until the file is read to its end. */
export interface SharedTest<Shared> {
  /** Adds a step; it uses files and operations of its own and leaves nothing that runs. `ignore` leaves the step out. */
  step(name: string, prove: (shared: Shared) => Promise<void>, options?: { readonly ignore: boolean }): void;
}

/** Registers a test that opens one thing for all its steps. They run in their order; a failed one does not stop the next. */
export function sharedTest<Shared extends AsyncDisposable>(
  name: string,
  open: () => Promise<Shared>,
): SharedTest<Shared> {
  const steps: {
    readonly name: string;
    readonly prove: (shared: Shared) => Promise<void>;
    readonly ignore: boolean;
  }[] = [];
  Deno.test(name, async (t) => {
    await using shared = await open();
    for (const { name, prove, ignore } of steps) await t.step({ name, ignore, fn: () => prove(shared) });
  });
  return { step: (name, prove, { ignore } = { ignore: false }) => void steps.push({ name, prove, ignore }) };
}

/** A server, and the bench in whose scope it runs. */
export interface BenchServer extends AsyncDisposable {
  readonly bench: Workbench;
  readonly server: ServerProcess;
}

/** How the shared server starts; everything has a default. */
export interface SharedOptions extends StartOptions {
  /** Default: the user who runs the tests. */
  readonly user?: User;
  /** Fills the bench before the server starts. */
  readonly prepare?: (bench: Workbench) => void;
}

/** Starts a server on a bench of its own. */
export async function benchServer({ user, prepare, ...start }: SharedOptions = {}): Promise<BenchServer> {
  await using stack = new AsyncDisposableStack();
  const bench = stack.use(new Workbench(user));
  prepare?.(bench);
  const server = stack.use(await ServerProcess.start(bench, start));
  const whole = stack.move();
  return { bench, server, [Symbol.asyncDispose]: () => whole.disposeAsync() };
}

/** A test whose steps share a server. */
export function sharedServer(name: string, options: SharedOptions = {}): SharedTest<BenchServer> {
  return sharedTest(name, () => benchServer(options));
}
