/** Commands and cancels while the processes below a server are killed at random moments. */
import { readLines } from "../../_support/line_reader.ts";
import type { ServerProcess } from "../../_support/server_process.ts";
import type { Workbench } from "../../_support/workbench.ts";

/** Kills one process below the first argument after the other, any of them, as many as the second says. */
const KILLER = `import os, random, signal, sys
def below(pid):
  found = []
  for thread in os.listdir(f"/proc/{pid}/task"):
    for child in open(f"/proc/{pid}/task/{thread}/children").read().split(): found += [int(child), *below(child)]
  return found
left = int(sys.argv[2])
while left > 0:
  try: os.kill(random.choice(below(sys.argv[1])), signal.SIGKILL)
  except (OSError, IndexError): continue
  left -= 1
print("over")`;

/** Calls in flight. */
const ABREAST = 6;
/** Calls at the end, all of which must succeed. */
const AFTERWARDS = 20;

/** What went wrong: a result that is not its command's, a command that ran twice, or a server that does not recover. */
export async function storm(server: ServerProcess, bench: Workbench, kills: number): Promise<string | undefined> {
  await server.shell("true");
  const killer = new Deno.Command("python3", {
    args: ["-c", KILLER, String(server.pid), String(kills)],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let over = false;
  const reading = readLines(killer.stdout, () => over = true);
  const wrong: string[] = [];
  let last = 0;
  const call = async (moment: "storm" | "afterwards") => {
    const number = ++last;
    const token = `token${number}.`;
    const { text, result } = await server.shell(`printf x >> ran${number}; echo ${token}`);
    const found = Array.from(text.matchAll(/token\d+\./g), ([one]) => one);
    if (found.some((one) => one !== token)) wrong.push(`${token} got ${text}`);
    const failed = (result as { readonly isError?: boolean }).isError === true || !found.includes(token);
    if (failed && moment === "afterwards") wrong.push(`${token} was not run: ${text}`);
  };
  const cancelled = async () => {
    const number = ++last;
    const command = `printf x >> ran${number}; echo token${number}.`;
    const params = { name: "sandboxed_shell", arguments: { command, execution_mode: "Synchronous" } };
    await server.send({ jsonrpc: "2.0", id: `cancelled-${number}`, method: "tools/call", params });
    await call("storm");
    await server.send({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: `cancelled-${number}` },
    });
  };
  await Promise.all(Array.from({ length: ABREAST }, async (_, index) => {
    while (!over) await (index === 0 ? cancelled() : call("storm"));
  }));
  await killer.status;
  await reading;
  for (let after = 0; after < AFTERWARDS; after++) await call("afterwards");
  for (let number = 1; number <= last; number++) {
    if (sizeOf(`${bench.scope}/ran${number}`) > 1) wrong.push(`token${number}. ran twice`);
  }
  return wrong.length === 0 ? undefined : wrong.slice(0, 5).join("; ");
}

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}
