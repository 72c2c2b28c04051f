/** A third-party server at a port of this machine. */
import { until } from "../deadline.ts";

/** A port that was free a moment ago. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Starts a program, whose words and variables get the port, and waits until it listens there; disposal ends it. */
export async function listening(
  words: (port: number) => readonly string[],
  environment: (port: number) => Readonly<Record<string, string>> = () => ({}),
): Promise<AsyncDisposable & { readonly port: number }> {
  const port = freePort();
  const [command = "", ...args] = words(port);
  const streams = { stdin: "null", stdout: "null", stderr: "null" } as const;
  const child = new Deno.Command(command, { args, env: { ...environment(port) }, ...streams }).spawn();
  let isThere = true;
  const ended = child.status.finally(() => isThere = false);
  const end = async () => {
    if (isThere) child.kill("SIGKILL");
    await ended;
  };
  try {
    const listens = async () => await Deno.connect({ port }).then((one) => one.close() === undefined, () => undefined);
    await until(listens, 20_000, `${command} to listen`);
  } catch (error) {
    await end();
    throw error;
  }
  return { port, [Symbol.asyncDispose]: end };
}
