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

/** Started by a link of that name. */
function named(bench: Workbench, name: string): readonly string[] {
  const { executable = "" } = testRuntime(bench.user);
  Deno.symlinkSync(executable, `${bench.parent}/${name}`);
  return ["/bin/sh", "-c", `shift; exec "${bench.parent}/${name}" "$@"`, "sh"];
}

Deno.test("D1 the control: the packed program does not start with such variables", async () => {
  const { deno, bundle } = testRuntime(Deno.uid() === 0 ? "root" : "ordinary");
  const { success } = await new Deno.Command(deno, { args: ["run", bundle, "--version"], env: HOSTILE }).output();
  assert.ok(!success);
});

for (const user of usersAtHand()) {
  Deno.test(`D1 S26 a hostile environment and name change nothing in the executable, nor for its commands, and nor does its user change its running text (${user})`, async () => {
    using bench = new Workbench(user);
    const start = { prefix: named(bench, "dx"), environment: HOSTILE };
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
    assert.match((await server.shell("echo works")).text, /^works$/m);
  });
}

Deno.test("S8 a command cannot change the executable that its server is, where that lies in the scope", async () => {
  using bench = new Workbench();
  const { executable = "" } = testRuntime(bench.user);
  const own = `${bench.scope}/ahma`;
  await copyProgram(executable, own);
  await using server = await ServerProcess.start(bench, { prefix: ["/bin/sh", "-c", `shift; exec ${own} "$@"`, "sh"] });
  const { size } = await Deno.stat(own);
  const { text } = await server.shell("echo x > other; mv ahma away; rm -f ahma; echo x >> ahma; chmod 777 ahma; true");
  assert.deepStrictEqual(
    [(await Deno.stat(own)).size, (await Deno.stat(`${bench.scope}/other`)).size],
    [size, 2],
    text,
  );
});
