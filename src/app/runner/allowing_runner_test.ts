/** What a person allows while a session lives, on the kernel itself (S35). */
import assert from "node:assert/strict";
import type { PathSubject, PinnedSubject } from "../../base/command/grant_subject.ts";
import { SILENT } from "../../base/log.ts";
import { makeSeenDirectory } from "../../base/_support/seen_directory.ts";
import type { CommandRequest, OpenShell } from "../../process/command_runner.ts";
import { chooseShell } from "../../process/shell.ts";
import { sandboxSettings } from "../../sandbox/_support/settings.ts";
import { removeSessionDirectories } from "../../sandbox/directories/session_directory.ts";
import { prepareSandbox } from "../../sandbox/prepare_linux.ts";
import { AllowingRunner } from "./allowing_runner.ts";

interface Ground {
  readonly base: string;
  readonly runner: AllowingRunner;
  /** The output of a line in a command of its own; of one that did not start, why. */
  line(line: string, more?: Partial<CommandRequest>): Promise<string>;
  pin(kind: PathSubject["kind"], path: string): PinnedSubject;
}

interface Choice {
  readonly reuse?: boolean;
  readonly namespaces?: boolean;
  /** Where the directories are made; absent: where commands can see them. */
  readonly dir?: string;
}

/** `data/f` and `repository` lie outside the scope. */
async function onGround(
  work: (ground: Ground) => Promise<void>,
  { reuse = true, namespaces = true, dir }: Choice = {},
): Promise<void> {
  const base = dir === undefined
    ? makeSeenDirectory("ahma-allow-")
    : await Deno.realPath(await Deno.makeTempDir({ dir }));
  for (const name of ["scope", "home", "home/.ssh", "data", "data/deep", "repository"]) {
    await Deno.mkdir(`${base}/${name}`);
  }
  for (const name of ["data/f", "data/deep/g"]) await Deno.writeTextFile(`${base}/${name}`, "of data\n");
  await Deno.writeTextFile(`${base}/home/.ssh/key`, "a key\n");
  const prepared = prepareSandbox(sandboxSettings(base));
  const shell = chooseShell(undefined, []);
  assert.ok(prepared.ok && shell.ok);
  const { policy } = prepared.value;
  const sandbox = namespaces ? prepared.value : { ...prepared.value, policy: policy && { ...policy, namespaces } };
  {
    await using runner = new AllowingRunner(
      { sandbox, shell: shell.value, pool: true, reuse, fork: reuse, logger: SILENT },
      undefined,
    );
    await runner.warmUp();
    const line: Ground["line"] = async (text, more = {}) => {
      const decoder = new TextDecoder();
      let output = "";
      const request = { run: { shell: text }, directory: `${base}/scope`, environment: {}, stdin: undefined, ...more };
      const end = await runner.run(request, {
        signal: new AbortController().signal,
        onOutput: (chunk) => output += decoder.decode(chunk, { stream: true }),
      });
      return end.kind === "not_started" ? end.message : output;
    };
    const pin: Ground["pin"] = (kind, path) => {
      const pinned = runner.pin({ kind, path });
      assert.ok(pinned !== undefined, path);
      return pinned;
    };
    await work({ base, runner, line, pin });
  }
  await removeSessionDirectories(prepared.value.directories);
  await Deno.remove(base, { recursive: true });
}

const MISSING = /No such file|Permission denied|Read-only/;

for (const dir of [undefined, "/tmp"]) {
  const where = dir ?? "a place that commands see";
  Deno.test(`S35 AllowingRunner.settle() opens a path to commands that start later, and takes it back (${where})`, async () => {
    await onGround(async ({ base, runner, line, pin }) => {
      const before = line(`echo mine > /tmp/mine; read -r x < /dev/null; sleep 1; cat ${base}/data/f 2>&1`);
      assert.match(await line(`cat ${base}/data/f 2>&1`), MISSING);
      const data = pin("read", `${base}/data`);
      assert.strictEqual(await runner.settle([data]), undefined);
      assert.strictEqual(
        await line(`cat ${base}/data/f ${base}/data/deep/g; cat /tmp/mine`),
        "of data\nof data\nmine\n",
      );
      assert.match(await line(`echo x 2>&1 > ${base}/data/f`), MISSING);
      assert.match(await before, MISSING, "a command that runs keeps its sandbox");
      assert.strictEqual(await runner.settle([data, pin("write", `${base}/repository`)]), undefined);
      assert.strictEqual(
        await line(`cat ${base}/data/f; echo new > ${base}/repository/n; cat ${base}/repository/n`),
        "of data\nnew\n",
      );
      const taken = runner.settle([]);
      assert.match(await line(`cat ${base}/data/f 2>&1`), MISSING, "a command that starts while it is taken back");
      assert.strictEqual(await taken, undefined);
      assert.match(await line(`cat ${base}/repository/n 2>&1`), MISSING);
      assert.strictEqual(await line("cat /tmp/mine"), "mine\n");
    }, dir === undefined ? {} : { dir });
  });
}

Deno.test({
  name: "S35 AllowingRunner pins nothing of another user's (needs root, to give files away)",
  ignore: Deno.uid() !== 0,
  async fn() {
    await onGround(async ({ base, runner, pin }) => {
      const data = pin("read", `${base}/data`);
      await Deno.chown(`${base}/data`, 4711, 4711);
      for (const kind of ["read", "write", "protected"] as const) {
        assert.strictEqual(runner.pin({ kind, path: `${base}/data` }), undefined, kind);
      }
      await Deno.chown(`${base}/data`, 0, 0);
      assert.deepStrictEqual(runner.pin({ kind: "read", path: `${base}/data` }), data);
    }, { reuse: false });
  },
});

Deno.test("S35 S20 AllowingRunner opens what was there when the person was asked, and nothing else at that path", async () => {
  for (const reuse of [true, false]) {
    await onGround(async ({ base, runner, line, pin }) => {
      const data = pin("read", `${base}/data`);
      await Deno.rename(`${base}/data`, `${base}/kept`);
      await Deno.symlink(`${base}/home`, `${base}/data`);
      assert.match(await runner.settle([data]) ?? "", /is not what it was when the person was asked/);
      assert.strictEqual(runner.pin({ kind: "read", path: `${base}/data` }), undefined, "a link");
      await Deno.remove(`${base}/data`);
      await Deno.rename(`${base}/kept`, `${base}/data`);
      assert.strictEqual(await runner.settle([data]), undefined);
      assert.strictEqual(await line(`cat ${base}/data/f`), "of data\n");
      await Deno.rename(`${base}/data`, `${base}/kept`);
      await Deno.mkdir(`${base}/data`);
      await Deno.writeTextFile(`${base}/data/f`, "of another\n");
      assert.match(await line(`cat ${base}/data/f 2>&1`), MISSING, "another directory");
      await Deno.remove(`${base}/data`, { recursive: true });
      await Deno.symlink(`${base}/home/.ssh`, `${base}/data`);
      assert.match(await line(`cat ${base}/data/key 2>&1`), MISSING, "a link");
      await Deno.remove(`${base}/data`);
      assert.match(await line(`cat ${base}/data/f 2>&1`), MISSING, "nothing");
    }, { reuse });
  }
});

Deno.test("S35 S7 S8 AllowingRunner covers credentials in what is allowed, and protects what programs obey there", async () => {
  await onGround(async ({ base, runner, line, pin }) => {
    for (const path of [base, `${base}/home`, `${base}/home/.ssh`, `${base}/scope`]) {
      for (const kind of ["read", "write"] as const) {
        assert.match(
          await runner.settle([pin(kind, path)]) ?? "",
          /^Cannot open .*(?:it holds|place of credentials)/,
          path,
        );
      }
    }
    const git = (...args: string[]) => new Deno.Command("git", { args, cwd: `${base}/repository` }).output();
    await git("init", "-q");
    await Deno.writeTextFile(`${base}/repository/.git/hooks/pre-commit`, "");
    assert.strictEqual(await runner.settle([pin("write", `${base}/repository`)]), undefined);
    assert.match(await line(`echo evil 2>&1 > ${base}/repository/.git/hooks/pre-commit`), MISSING);
    const set = await line(
      `cd ${base}/repository && git config user.name me; git config core.fsmonitor evil; git status`,
    );
    assert.match(set, /nothing to commit/);
    const config = await Deno.readTextFile(`${base}/repository/.git/config`);
    assert.match(config, /name = me/);
    assert.ok(!config.includes("evil"));
    const hooks = `${base}/scope/.vscode`;
    await Deno.mkdir(hooks);
    assert.match(await line(`echo x 2>&1 > .vscode/tasks.json`), MISSING);
    assert.strictEqual(await runner.settle([pin("protected", hooks)]), undefined);
    assert.strictEqual(await line("echo x > .vscode/tasks.json; cat .vscode/tasks.json"), "x\n");
    assert.strictEqual(await runner.settle([]), undefined);
    assert.match(await line(`echo y 2>&1 > .vscode/tasks.json`), MISSING);
  });
});

Deno.test("S35 AllowingRunner keeps a named shell while more is allowed, and ends it once something is taken back", async () => {
  await onGround(async ({ base, runner, line, pin }) => {
    const within = (shell: OpenShell) => (text: string) => line(text, { within: shell });
    const early = await runner.openShell(`${base}/scope`);
    const inEarly = within(early);
    await inEarly("kept=here");
    const data = pin("read", `${base}/data`);
    assert.strictEqual(await runner.settle([data]), undefined);
    assert.ok(await early.isCurrent());
    assert.strictEqual(await inEarly('echo "$kept"'), "here\n");
    assert.match(await inEarly(`cat ${base}/data/f 2>&1`), MISSING);
    const late = await runner.openShell(`${base}/scope`);
    assert.strictEqual(await within(late)(`cat ${base}/data/f`), "of data\n");
    assert.strictEqual(await runner.settle([]), undefined);
    assert.deepStrictEqual([await early.isCurrent(), await late.isCurrent()], [true, false]);
    await Promise.all([early.close(), late.close()]);
  });
});

Deno.test("S35 AllowingRunner.runWith() opens a path to one command", async () => {
  await onGround(async ({ base, runner, line, pin }) => {
    const request = {
      run: { shell: `cat ${base}/data/f` },
      directory: `${base}/scope`,
      environment: {},
      stdin: undefined,
    };
    let output = "";
    const end = await runner.runWith([pin("read", `${base}/data/f`)], request, {
      signal: new AbortController().signal,
      onOutput: (chunk) => output += new TextDecoder().decode(chunk),
    });
    assert.deepStrictEqual([end.kind, output], ["exited", "of data\n"]);
    assert.match(await line(`cat ${base}/data/f 2>&1`), MISSING);
  });
});

Deno.test("S35 AllowingRunner.settle() opens nothing where the system has no namespaces, and says so", async () => {
  await onGround(async ({ base, runner, line, pin }) => {
    assert.match(await runner.settle([pin("read", `${base}/data`)]) ?? "", /^This system has no namespaces/);
    assert.match(await line(`cat ${base}/data/f 2>&1`), MISSING);
  }, { namespaces: false });
});
