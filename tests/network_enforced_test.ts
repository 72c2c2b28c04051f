/** A server whose list does not hold must not start, and must say what does not hold (S32). The kernels here lie. */
import assert from "node:assert/strict";
import { CLONE_NEWNET, SYSTEM_CALLS } from "../src/system/syscalls.ts";
import { type Lie, lyingKernel } from "./_support/kernel/lying_kernel.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { usersAtHand, Workbench } from "./_support/workbench.ts";

const SYS = SYSTEM_CALLS[Deno.build.arch === "aarch64" ? "aarch64" : "x86_64"];
const FLAGS = ["--network", "named.example.test"];
const REFUSAL =
  /Cannot restrict commands to the list of --network: the sandbox does not hold on this machine\. Its self-test could ([^.]*)\. No command is run/;

for (const user of usersAtHand()) {
  Deno.test(`S32 a server with a list does not start where a step of it only seems to be in force, as ${user}`, async () => {
    using bench = new Workbench(user);
    const kernel = await lyingKernel(bench);
    const startUnder = (lies: readonly Lie[], prefix: readonly string[] = []) =>
      ServerProcess.start(bench, { flags: FLAGS, prefix: [...prefix, ...kernel(lies)], permissions: ["--allow-net"] })
        .then(async (server) => {
          await server[Symbol.asyncDispose]();
          return "started";
        }, ({ message }: Error) => message);
    const could = async (call: number) => REFUSAL.exec(await startUnder([{ call, errno: 0 }]))?.[1] ?? "";
    if (user === "root") {
      assert.match(await could(SYS.setns), /send a datagram out, reach the loopback of the machine/);
    } else {
      assert.strictEqual(await startUnder([]), "started"); // the control: the filter alone changes nothing
      // The same filter and rules for every user.
      assert.match(await could(SYS.seccomp), /reach the user's key ring/);
      assert.match(await could(SYS.landlock_restrict_self), /^read a file outside/);
    }
    // No network of its own is made: what stands for names would be this machine's. It has one of its own here.
    const alone = user === "root" ? ["unshare", "--net"] : ["unshare", "--user", "--map-current-user", "--net"];
    const own = user === "root" ? CLONE_NEWNET : 0x5000_0000;
    const said = await startUnder([{ call: SYS.unshare, errno: 0, first: own }], alone);
    assert.match(
      said,
      user === "root" ? /could [^.]*reach the loopback of the machine/ : /Cannot make the network that/,
    );
  });
}

// Of the network that is not entered: for root the start says it above.
Deno.test("S32 L6 doctor fails where a list only seems to hold, and says what it let pass", async () => {
  using bench = new Workbench("ordinary");
  const kernel = await lyingKernel(bench);
  const prefix = kernel([{ call: SYS.setns, errno: 0 }]);
  const { code, stdout } = await runProgram(bench, ["doctor", "--json", ...FLAGS], {
    prefix,
    permissions: ["--allow-net"],
  });
  assert.strictEqual(code, 1, stdout);
  assert.match(
    stdout,
    /FAILED, commands are refused: could [^"]*send a datagram out, reach the loopback of the machine/,
  );
});
