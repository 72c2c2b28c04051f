import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";

Deno.test("L11 doctor --denials says from the audit log what was denied, and its settings allow it", async () => {
  using bench = new Workbench("ordinary");
  bench.write(`${bench.elsewhere}/fonts/one`, "a font\n");
  const log = `${bench.home}/audit.log`;
  const wanted = `${bench.elsewhere}/fonts/one`;
  const denied = async (denials: readonly string[]) => {
    await using server = await ServerProcess.start(bench, { flags: ["--audit-log", log] });
    for (const line of denials) await server.shell(line);
    return (await server.shell(`cat ${wanted}`)).text;
  };
  assert.match(await denied([`cat ${wanted}`, "cat ~/.ssh/id_rsa", "echo x > /etc/new"]), /lies outside the scope/);
  const { code, stdout } = await runProgram(bench, ["doctor", "--denials", "--json", "--audit-log", log]);
  const { denials, settings } = JSON.parse(stdout);
  assert.deepEqual([code, settings.values], [0, { read: [wanted] }]);
  assert.deepEqual(
    denials.filter(({ subject }: { subject: string }) => subject === wanted).map((
      { times, tools }: never,
    ) => [times, tools]),
    [[2, ["sandboxed_shell"]]],
  );
  // What is pasted into the user's file works.
  bench.write(`${bench.home}/.config/ahma/settings.json`, JSON.stringify(settings.values));
  assert.match(await denied([]), /^a font\n/);
  const text = (await runProgram(bench, ["doctor", "--denials", "--since", "1h", "--audit-log", log])).stdout;
  assert.match(text, new RegExp(`^Denied in the last 1h:\n\n {2}2 times {2}${wanted} {2}by sandboxed_shell: --read `));
  const ask = async (...words: readonly string[]) => (await runProgram(bench, ["doctor", ...words])).stderr.trim();
  assert.match(
    await ask("--denials"),
    /^Cannot tell what was denied: no audit log is kept\. Start servers with --audit-log/,
  );
  assert.match(await ask("--denials", "--since", "soon", "--audit-log", log), /^Cannot use --since "soon"/);
  assert.match(await ask("--since", "1h"), /^Use --since together with --denials/);
  assert.match(await ask("--denials", "--project"), /^Choose one of --project and --denials/);
  assert.match(await ask("--denials", "--audit-log", `${log}.none`), /^Cannot read the audit log /);
});
