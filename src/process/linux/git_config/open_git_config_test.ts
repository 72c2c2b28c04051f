import assert from "node:assert/strict";
import { SILENT } from "../../../base/log.ts";
import { sandboxSettings } from "../../../sandbox/_support/settings.ts";
import { removeSessionDirectories } from "../../../sandbox/directories/session_directory.ts";
import { prepareSandbox } from "../../../sandbox/prepare_linux.ts";
import { LinuxRunner } from "../linux_runner.ts";

Deno.test("N3 LinuxRunner is made without the policy, whose mount points take longer than the first answer may", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  for (const name of ["scope", "home"]) await Deno.mkdir(`${base}/${name}`);
  const prepared = prepareSandbox(sandboxSettings(base));
  assert.ok(prepared.ok);
  const sandbox = prepared.value;
  const asked: string[] = [];
  await new LinuxRunner({
    sandbox: {
      ...sandbox,
      get policy() {
        asked.push("policy");
        return undefined;
      },
    },
    shell: { path: "/bin/bash", name: "bash", canWait: true },
    pool: true,
    reuse: true,
    fork: true,
    logger: SILENT,
  })[Symbol.asyncDispose]();
  assert.deepStrictEqual(asked, []);
  await removeSessionDirectories(sandbox.directories);
  await Deno.remove(base, { recursive: true });
});
