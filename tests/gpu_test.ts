/** GPUs: closed to commands until a person opens them, and then exactly the chosen ones (S41). */
import assert from "node:assert/strict";
import { NO_NODES, NVIDIA_NODES, withNodes } from "./_support/servers/gpu_machine.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { usersAtHand, Workbench } from "./_support/workbench.ts";

/** The node was reached: no driver is behind its number. */
const REACHED = "No such device or address";
const ABSENT = "No such file or directory";
const DENIED = "Permission denied";

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({
    name: NO_NODES === undefined ? name : `${name} (ignored: ${NO_NODES})`,
    ignore: NO_NODES !== undefined,
    fn,
  });
}

/** What opening each node for reading and writing ends with in a command of a server with these flags. */
async function opening(bench: Workbench, flags: readonly string[]): Promise<Readonly<Record<string, string>>> {
  await using server = await ServerProcess.start(bench, { flags });
  return await openingBy(server);
}

async function openingBy(server: ServerProcess): Promise<Readonly<Record<string, string>>> {
  const names = Object.keys(NVIDIA_NODES);
  const { text } = await server.shell(
    names.map((name) => `dd if=/dev/null of=/dev/${name} conv=nocreat,notrunc 2>&1`).join("; ") + "; true",
  );
  return Object.fromEntries(
    names.map((name) => [name, new RegExp(`/dev/${name}': (.*)$`, "m").exec(text)?.[1] ?? text]),
  );
}

function all(result: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(NVIDIA_NODES).map((name) => [name, result]));
}

/** What a write of the name of a thread, and of three places of the kernel, ends with. */
async function writes(server: ServerProcess): Promise<readonly string[]> {
  const write = (path: string) => `(echo 1 > ${path}) 2>/dev/null && echo written || echo denied`;
  const kernel = ["/proc/sys/kernel/core_uses_pid", "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger"];
  const { output } = await server.shell(["/proc/self/task/$BASHPID/comm", ...kernel].map(write).join("; "));
  return output.trim().split("\n");
}

for (const user of usersAtHand()) {
  test(`S41 --gpu opens the chosen GPU and what its driver needs, and no other node exists, as ${user}`, async () => {
    using bench = new Workbench(user);
    withNodes(bench, NVIDIA_NODES);
    const opened = { "nvidiactl": REACHED, "nvidia-uvm": REACHED };
    {
      await using server = await ServerProcess.start(bench, { flags: ["--gpu", "1"] });
      assert.deepStrictEqual(await openingBy(server), { ...all(ABSENT), ...opened, "nvidia1": REACHED });
      // With a GPU of NVIDIA threads can be named by an ordinary user alone, who has all GPUs below.
      if (user === "root") assert.deepStrictEqual(await writes(server), ["denied", "denied", "denied", "denied"]);
    }
    // What a file of the project opens is decided alike for every user.
    if (user === "root") return;
    bench.write(".ahma/settings.json", '{ "gpu": "all" }');
    assert.deepStrictEqual(
      await opening(bench, []),
      all(ABSENT),
      "without the flag none, and a project's file opens nothing",
    );
  });

  test(`S41 Landlock alone keeps the other nodes closed where the machine's root is seen, as ${user}`, async () => {
    using bench = new Workbench(user);
    withNodes(bench, NVIDIA_NODES);
    assert.deepStrictEqual(await opening(bench, ["--gpu", "0,renderD128", "--unix-sockets", "allow"]), {
      ...all(DENIED),
      "nvidia0": REACHED,
      "nvidiactl": REACHED,
      "nvidia-uvm": REACHED,
      "dri/renderD128": REACHED,
    });
  });

  // What is there is seen alike by each user.
  if (user === "root") continue;
  test(`S41 with a GPU of NVIDIA threads can be named, and nothing else of /proc changes, as ${user}`, async () => {
    using bench = new Workbench(user);
    withNodes(bench, NVIDIA_NODES);
    await using server = await ServerProcess.start(bench, { flags: ["--gpu", "all"] });
    assert.match((await server.shell("ls /dev/dri")).text, /^renderD128$/m);
    assert.deepStrictEqual(await writes(server), ["written", "denied", "denied", "denied"]);
  });

  test(`S41 doctor says which GPUs are open, and a start without one names what was looked for, as ${user}`, async () => {
    using bench = new Workbench(user);
    using bare = new Workbench(user);
    withNodes(bench, NVIDIA_NODES);
    withNodes(bare, {});
    const said = async (on: Workbench, ...words: readonly string[]) => {
      const { stdout } = await runProgram(on, ["doctor", ...words]);
      return /^.*GPUs +(.*)$/m.exec(stdout)?.[1];
    };
    const gpus = "/dev/dri/renderD128, /dev/nvidia0, /dev/nvidia1";
    assert.deepStrictEqual([await said(bench), await said(bench, "--gpu", "1"), await said(bare)], [
      `closed to commands: ${gpus}; --gpu all opens them`,
      "open to commands: /dev/nvidia1, /dev/nvidia-uvm, /dev/nvidiactl; " +
      "closed to commands: /dev/dri/renderD128, /dev/nvidia0",
      undefined,
    ]);
    const { code, stderr } = await runProgram(bare, ["call", "--gpu", "all", "sandboxed_shell", "--", "echo ran"]);
    assert.strictEqual(code, 1);
    assert.match(stderr, /--gpu all: there is neither \/dev\/nvidia0 \(NVIDIA\), nor .*start without --gpu/);
  });
}
