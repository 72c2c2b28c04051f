/**
 * `doctor --project` on made-up projects: what it says works does, and what it says needs a setting works with it only;
 * and `doctor --denials`.
 */
import assert from "node:assert/strict";
import { namesHere } from "./_support/names_here.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { runOnTerminal, runProgram } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";

interface Row {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly message: string;
  readonly flags: readonly string[];
}

interface Report {
  readonly ok: boolean;
  readonly checks: readonly Row[];
  readonly flags: readonly string[];
  readonly settings: { readonly file: string; readonly values: Readonly<Record<string, unknown>> };
}

const FILTER = '[filter "up"]\n\tclean = tr a-z A-Z\n';

/** The variable that the project wants, and the network that it gets. */
const environment = { TEST_TOKEN: "x", AHMA_NETWORK: "none" };

async function report(bench: Workbench, words: readonly string[] = [], environment = {}): Promise<Report> {
  const { code, stdout, stderr } = await runProgram(bench, ["doctor", "--project", "--json", ...words], {
    environment,
    script: true, // grants the network, which a list needs
  });
  assert.deepStrictEqual([code, stderr], [0, ""], stdout);
  return JSON.parse(stdout);
}

function statuses({ checks }: Report): readonly string[] {
  return checks.map(({ id, title, status }) => `${id} ${title} ${status}`);
}

Deno.test("L6 doctor --project says what works, and settings that open the rest open it", async () => {
  using bench = new Workbench("ordinary");
  const shared = bench.write(`${bench.parent}/shared/base.json`, "{}");
  bench.write("tsconfig.json", '{"extends": "../shared/base.json"}');
  bench.write(".npmrc", "//registry.example/:_authToken=${TEST_TOKEN}\n");
  bench.write("Makefile", "all:\n\techo made\n");
  bench.write("mix.exs", "");
  bench.write("compose.yaml", "");
  bench.write("lefthook.yml", "");
  bench.write(".gitattributes", "*.up filter=up\n");
  bench.write(`${bench.home}/.gitconfig`, FILTER);
  // What each row stands for; those of programs, docker and hooks stay as they are.
  const probes = {
    tool: "make -s all",
    filter: "echo abc > x.up && git add x.up && git show :x.up | grep -q ABC",
    place: `cat ${shared}`,
    variable: 'test -n "$TEST_TOKEN"',
    home: "mkdir ~/.mix",
    network: "getent hosts repo.hex.pm", // looked up in a file, and nothing connects
    hooks: "touch .git/hooks/pre-commit",
  };
  const works = async (start: object) => {
    await using server = await ServerProcess.start(bench, start);
    await server.shell("test -e .git || git init -q");
    const results = Object.entries(probes).map(async ([id, line]) => [id, !(await server.shell(line)).failed]);
    return Object.fromEntries(await Promise.all(results));
  };
  const without = await works({ environment });
  const closed = {
    tool: true,
    filter: false,
    place: false,
    variable: false,
    home: false,
    network: false,
    hooks: false,
  };
  assert.deepStrictEqual(without, closed);
  const found = await report(bench, [], environment);
  const rows = statuses(found).filter((row) => !row.includes(" mix "));
  assert.deepStrictEqual(rows, [
    "tool make ok",
    "filter git warning",
    "network packages warning",
    "place path warning",
    "variable variable warning",
    "docker docker warning",
    "hooks hooks warning",
    "home home warning",
  ]);
  assert.deepStrictEqual(found.flags, [
    "--network hex.pm:80,443,repo.hex.pm:80,443,builds.hex.pm:80,443",
    `--read ${shared}`,
    "--env TEST_TOKEN",
    "--private-home",
  ]);
  const { file, values } = found.settings;
  bench.write(file, JSON.stringify(values));
  bench.write(".git/config", `${await Deno.readTextFile(`${bench.scope}/.git/config`)}${FILTER}`); // as a person does
  const { TEST_TOKEN } = environment;
  const opened = {
    environment: { TEST_TOKEN },
    flags: ["--allow-protected", ".git/hooks"],
    permissions: ["--allow-net"],
    prefix: namesHere(bench, "", "1.1.1.1 repo.hex.pm\n"),
  };
  const open = Object.fromEntries(Object.keys(probes).map((id) => [id, true]));
  assert.deepStrictEqual(await works(opened), open);
  const again = await report(bench, opened.flags, { TEST_TOKEN });
  assert.deepStrictEqual([again.flags, statuses(again).filter((row) => !row.includes(" mix "))], [[], [
    "tool make ok",
    "filter git ok",
    "network packages ok",
    "place path ok",
    "variable variable ok",
    "docker docker warning",
    "hooks hooks ok",
    "home home ok",
  ]]);
});

Deno.test("L6 doctor --project names what a closed tool chain needs, and the repository of a worktree", async () => {
  using bench = new Workbench();
  const tool = bench.write(`${bench.home}/tools/bin/meson`, "#!/bin/sh\necho 1.2.3\n");
  await Deno.chmod(tool, 0o755);
  bench.write("meson.build", "");
  bench.write(".node-version", "1.0.0");
  bench.write("package.json", '{"packageManager": "bun@1.0.0"}');
  const main = `${bench.parent}/main/.git`;
  bench.write(`${main}/worktrees/scope/gitdir`, `${bench.scope}/.git\n`);
  bench.write(`${main}/worktrees/scope/commondir`, "../..\n");
  bench.write(".git", `gitdir: ${main}/worktrees/scope\n`);
  const environment = { PATH: `${bench.home}/tools/bin:/usr/local/bin:/usr/bin:/bin` };
  const strict = await report(bench, ["--strict"], environment);
  const flags = [`--read ${bench.home}/tools/bin`, `--write ${main}`];
  assert.deepStrictEqual(strict.flags, flags);
  const opened = await report(bench, ["--strict", ...flags.flatMap((flag) => flag.split(" "))], environment);
  assert.deepStrictEqual(opened.flags, []);
  const message = (wanted: string) => opened.checks.find(({ title }) => title === wanted)?.message;
  assert.strictEqual(message("meson"), "1.2.3 (meson.build)");
  assert.match(message("node") ?? "", /^v[\d.]+, but \.node-version asks for 1\.0\.0: put that first on the PATH/);
});

Deno.test("L6 doctor --project does not hang on a hostile project, and shows neither outside files nor control characters", async () => {
  using bench = new Workbench();
  const secret = bench.write(`${bench.elsewhere}/secret`, "//r/:_authToken=${STOLEN_NAME}\n");
  await Deno.symlink(secret, `${bench.scope}/.npmrc`);
  await Deno.symlink(bench.elsewhere, `${bench.scope}/linked`);
  assert.ok((await new Deno.Command("mkfifo", { args: [`${bench.scope}/package.json`] }).output()).success);
  await Deno.truncate(bench.write("Cargo.toml", ""), 4 * 1024 ** 3);
  bench.write("a\x1b[31m\nok      forged\x9b/go.mod", "module x\n\ngo 9\x1b]0;t\x07\n");
  bench.write("Makefile", "");
  bench.write("compose.yaml", "volumes: [/run/\u202edocker/x.sock, /run/a/b\x1b[2J]\n");
  bench.write(".gitmodules", `[submodule "x"]\n\turl = /srv/\x1b[31m${"x".repeat(5000)}\n`);
  const { code, stdout } = await runProgram(bench, ["doctor", "--project"]);
  assert.deepStrictEqual([code, /STOLEN_NAME/.test(stdout)], [0, false], stdout);
  // deno-lint-ignore no-control-regex -- what must not be shown
  assert.doesNotMatch(stdout, /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
  assert.doesNotMatch(stdout, /^ok {6}forged/m);
  assert.ok(stdout.length < 5000, stdout);
});

Deno.test("L6 doctor --project is a coloured list on a terminal, and tells an empty project", async () => {
  using bench = new Workbench();
  const empty = await runProgram(bench, ["doctor", "--project"]);
  const nothing = "ok      project  no project file that this program knows needs anything";
  assert.deepStrictEqual(empty, { code: 0, stdout: `${bench.scope}\n\n${nothing}\n`, stderr: "" });
  bench.write("ansible.cfg", "");
  const { stdout } = await runOnTerminal(bench, ["doctor", "--project"]);
  assert.ok(
    stdout.includes("\x1b[33m!       \x1b[0mhome  ~/.ansible (ansible.cfg) cannot be written: --private-home"),
    stdout,
  );
  assert.ok(stdout.includes(`${bench.home}/.config/ahma/settings.json`), stdout);
  assert.match(stdout, /^ {2}\{"private_home":true\}\r?$/m);
});

// src/cli/commands/doctor/doctor_test.ts has the words that are refused.
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
});
