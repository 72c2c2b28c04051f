/** What a person, a client or a repository could do to an executable from outside changes nothing in it. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { VERSION } from "../../src/base/version.ts";
import { ServerProcess } from "../_support/server_process.ts";
import { runProgram } from "../_support/terminal.ts";
import { testRuntime } from "../_support/runtime.ts";
import { copyProgram, ORDINARY_ID, usersAtHand, Workbench } from "../_support/workbench.ts";

/** They steer the runtime, if they come to it. */
const HOSTILE: Readonly<Record<string, string>> = {
  DENO_V8_FLAGS: "--no-such-flag",
  DENO_UNSTABLE_CONTROL_SOCK: "unix:/nowhere",
  DENO_PERMISSION_BROKER_PATH: "/nowhere",
  DENO_COVERAGE_DIR: "/nowhere",
  DENO_AUDIT_PERMISSIONS: "/nowhere",
  DENO_LOG: "trace",
  NODE_OPTIONS: "--require=/nowhere.cjs",
  NODE_CHANNEL_FD: "0",
  OTEL_DENO: "true",
  AHMA_SCRIPT_PID: "1",
  AHMA_DENO: "/nowhere",
};

/** A copy in the scope, by the name of another program. */
const NAME = "dx";

Deno.test("D1 the control: the packed program does not start with such variables", async () => {
  const { deno, bundle } = testRuntime(Deno.uid() === 0 ? "root" : "ordinary");
  const { success } = await new Deno.Command(deno, { args: ["run", bundle, "--version"], env: HOSTILE }).output();
  assert.ok(!success);
});

for (const user of usersAtHand()) {
  Deno.test(`D1 S26 S8 a hostile environment and name change nothing in the executable, nor for its commands, nor does its user change its running text, nor a command its file in the scope (${user})`, async () => {
    using bench = new Workbench(user);
    const own = `${bench.scope}/${NAME}`;
    await copyProgram(testRuntime(user).executable ?? "", own);
    const start = { prefix: ["/bin/sh", "-c", `shift; exec ${own} "$@"`, "sh"], environment: HOSTILE };
    const ran = await runProgram(bench, ["--version"], start);
    assert.deepStrictEqual(ran, { code: 0, stdout: `ahma_mcp ${VERSION}\n`, stderr: "" });
    await using server = await ServerProcess.start(bench, { ...start, flags: ["--env", "NODE_OPTIONS"] });
    const { text } = await server.shell("env");
    const seen = text.match(/^(AHMA|DENO|NODE|OTEL)_\w+(?==)/gm)?.toSorted();
    assert.deepStrictEqual(seen, ["DENO_DIR", "DENO_NO_PROMPT", "DENO_NO_UPDATE_CHECK", "NODE_OPTIONS"]);
    assert.strictEqual(server.stderr, "");
    const program = `/proc/${server.pid}/fd/100`;
    const other = user === "ordinary" && Deno.uid() === 0;
    const setpriv = other ? ["setpriv", `--reuid=${ORDINARY_ID}`, `--regid=${ORDINARY_ID}`, "--clear-groups"] : [];
    const [command = "", ...args] = [
      ...setpriv,
      "sh",
      "-c",
      `(echo x >> ${program}); (: > ${program}); cat ${program}`,
    ];
    const { stdout } = await new Deno.Command(command, { args }).output();
    assert.ok(Buffer.from(stdout).equals(await Deno.readFile(testRuntime(user).bundle)));
    const { size } = await Deno.stat(own);
    const lines = [
      `echo x > other; mv ${NAME} away; rm -f ${NAME}; echo x >> ${NAME}`,
      `chmod 777 ${NAME}; echo works`,
    ];
    const tried = await server.shell(lines.join("\n"));
    assert.match(tried.text, /^works$/m);
    const sizes = [(await Deno.stat(own)).size, (await Deno.stat(`${bench.scope}/other`)).size];
    assert.deepStrictEqual(sizes, [size, 2], tried.text);
  });
}
