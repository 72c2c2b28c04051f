import assert from "node:assert/strict";
import { SILENT } from "../../base/log.ts";
import { createSessionDirectories, removeSessionDirectories } from "../../sandbox/directories/session_directory.ts";
import { Housekeeping } from "./housekeeping.ts";
import { freeLock } from "../../system/replace/file_lock.ts";

Deno.test("S5 Housekeeping removes what a killed session left, and nothing where the session ends before", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  const directories = createSessionDirectories(base, { temporaryFiles: true });
  const options = {
    environment: {},
    sandbox: { directories, writable: [] },
    registry: { runningCount: 0, subscribe: () => () => {} },
    log: SILENT,
  };
  const killed = createSessionDirectories(base, { temporaryFiles: true });
  freeLock(killed.owner);
  const ended = new Housekeeping(options);
  ended.begin(0);
  ended[Symbol.dispose]();
  const watch = Deno.watchFs(base);
  assert.ok((await Deno.lstat(killed.root)).isDirectory);
  const housekeeping = new Housekeeping(options);
  housekeeping.begin(0);
  for await (const { kind, paths } of watch) if (kind === "remove" && paths.includes(killed.root)) break;
  housekeeping[Symbol.dispose]();
  await removeSessionDirectories(directories);
  await Deno.remove(base, { recursive: true });
});
