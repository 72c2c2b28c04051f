import { strict as assert } from "node:assert";
import { supportedProcessor } from "../../sandbox/policy/prerequisites.ts";
import { Libc } from "../../system/libc.ts";
import { systemSockets } from "../../process/tree/socket_owner.ts";
import { admissionProblem, refuseOwnCommands } from "./http_isolation.ts";

const OWN = "the connection comes from one of this server's own commands, which may begin no session";
const UNKNOWN = "the process at the other end of the connection cannot be determined, and one of this server's own " +
  "commands may begin no session. Start the server with --require-token";

Deno.test("S6 H8 a command of the server may begin no session, with or without the token, an unknown process only with it", () => {
  const decisions = (["others", "ours", "unknown"] as const).map((holder) =>
    [true, false].map((token) => admissionProblem(holder, token))
  );
  assert.deepStrictEqual(decisions, [[undefined, undefined], [OWN, OWN], [undefined, UNKNOWN]]);
});

/** Connects, and keeps the connection until stdin is closed. */
const HOLD = 'exec 4<&0 3<>"/dev/tcp/127.0.0.1/$0"; read -r line <&4';

Deno.test({
  name: "S6 refuseOwnCommands() refuses a connection of a process below this one, and takes one of another process",
  ignore: Deno.build.os !== "linux", // the tables of sockets are those of Linux
  async fn() {
    const processor = supportedProcessor(Deno.build.os, Deno.build.arch);
    assert.ok(processor.ok);
    const libc = new Libc();
    const refuse = refuseOwnCommands({ system: systemSockets(libc), token: false });
    const problems: (string | undefined)[] = [];
    // The second one is left by its parent, so it is not below this process any more.
    for (const script of [HOLD, `exec 5<&0; (bash -c '${HOLD}' "$0" <&5) &`]) {
      using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const { port } = listener.addr;
      const child = new Deno.Command("bash", { args: ["-c", script, `${port}`], stdin: "piped" }).spawn();
      using connection = await listener.accept();
      if (script !== HOLD) await child.status;
      problems.push(refuse(connection.remoteAddr, port));
      await child.stdin.close();
      await child.status;
    }
    libc[Symbol.dispose]();
    assert.deepStrictEqual(problems, [OWN, undefined]);
  },
});
