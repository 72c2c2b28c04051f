import assert from "node:assert/strict";
import { SILENT } from "../../base/log.ts";
import { AuditLog } from "./audit_log.ts";

Deno.test("S18 AuditLog.open() takes a file of this user alone, and no link, second name or other kind", async () => {
  const directory = await Deno.makeTempDir({ prefix: "ahma-test-" });
  try {
    const files = { mine: 0o600, twice: 0o600, readable: 0o644 };
    for (const [name, mode] of Object.entries(files)) await Deno.writeTextFile(`${directory}/${name}`, "", { mode });
    await Deno.link(`${directory}/twice`, `${directory}/second`);
    await Deno.symlink("mine", `${directory}/link`);
    await Deno.mkdir(`${directory}/open`);
    const open = [await Deno.realPath(`${directory}/open`)];
    const why = async (file: string) => {
      const opened = await AuditLog.open({ file, directory, open, log: SILENT });
      if (!opened.ok) return opened.problem.replace(/^.* as the audit log: /, "");
      opened.value[Symbol.dispose]();
      return "opened";
    };
    const expected = {
      new: /^opened$/,
      mine: /^opened$/,
      twice: /^it has a second name \(hard link\)/,
      readable: /^other users can read or change it/,
      link: /^it is a link, or no regular file$/,
      open: /^commands can write there/,
      "open/audit": /^commands can write there/,
      "missing/audit": /^its directory does not exist$/,
      "..": /^it does not name a file$/,
      "/": /^it does not name a file$/,
    };
    for (const [file, problem] of Object.entries(expected)) assert.match(await why(file), problem, file);
    await Deno.remove(`${directory}/mine`);
    await Deno.mkdir(`${directory}/mine`);
    assert.strictEqual(await why("mine"), "it is a link, or no regular file");
    assert.strictEqual(((await Deno.stat(`${directory}/new`)).mode ?? 0) & 0o777, 0o600);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
