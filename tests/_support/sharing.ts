import { type User, Workbench } from "./workbench.ts";

/** A server that several tests use, and the bench it runs in. */
export interface Shared<Server> {
  readonly bench: Workbench;
  readonly server: Server;
}

/** Registers one test that uses the shared server; `ignore` leaves it out, and the name then says why. */
export type SharedTest<Server> = (
  name: string,
  run: (shared: Shared<Server>, t: Deno.TestContext) => Promise<void>,
  options?: { readonly ignore: boolean },
) => void;

/**
 * Makes tests of one file share a server: it starts with the first of them that runs and ends after the last test of
 * the file. The tests use files and sessions of their own and leave nothing running. The runtime looks for no leaks in
 * the tests of such a file: the server may write to its pipes while any of them runs.
 */
export function sharing<Server extends AsyncDisposable>(
  start: (bench: Workbench) => Promise<Server>,
  user?: User,
): SharedTest<Server> {
  const stack = new AsyncDisposableStack();
  const begun: Promise<Shared<Server>>[] = [];
  const begin = async (): Promise<Shared<Server>> => {
    const bench = stack.use(new Workbench(user));
    return { bench, server: stack.use(await start(bench)) };
  };
  Deno.test.sanitizer({ ops: false, resources: false });
  Deno.test.afterAll(() => stack.disposeAsync());
  return (name, run, { ignore } = { ignore: false }) =>
    Deno.test({
      name,
      ignore,
      fn: (t) =>
        inFile(t, async () => {
          if (begun.length === 0) begun.push(begin());
          const [shared] = await Promise.all(begun);
          if (shared !== undefined) await run(shared, t);
        }),
    });
}

/**
 * Runs a test that a shared module registered.
 *
 * @throws {Error} Names the file of the test, so that the gate can run it again; the cause is what the test threw.
 */
export async function inFile({ origin }: Pick<Deno.TestContext, "origin">, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (cause) {
    throw new Error(`Failed in ${origin.slice(origin.indexOf("/tests/") + 1)}`, { cause });
  }
}
