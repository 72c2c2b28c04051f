/**
 * Credentials are never readable (S7), and what else is readable and private (S4, S5, S8): each denial beside the
 * matching allowance and, as a control, the same words in a shell of the test, which has no sandbox.
 */
import assert from "node:assert/strict";
import { programStart } from "./_support/program.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { runProgram } from "./_support/terminal.ts";
import { exists, type User, usersAtHand, Workbench } from "./_support/workbench.ts";

const SECRET = "the-secret-of-this-test";

/** What a home holds. */
const SECRETS = [".ssh/id_rsa", ".aws/credentials", ".netrc", ".config/gcloud/token", ".bash_history"] as const;

/** What is hidden in each home, beside places that variables move. */
const MORE_SECRETS = [
  ".yarnrc.yml",
  ".npmrc",
  ".m2/settings.xml",
  ".gradle/gradle.properties",
  ".gemini/oauth_creds.json",
] as const;

/** A program that runs the server where user namespaces are refused. */
const WITHOUT_NAMESPACES: Readonly<Record<User, readonly string[]>> = {
  root: ["setpriv", "--bounding-set=-sys_admin"],
  ordinary: [
    "unshare",
    "--user",
    "--map-current-user",
    "--keep-caps",
    "sh",
    "-c",
    'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --ambient-caps=-all --inh-caps=-all "$@"',
    "sh",
  ],
};

function furnish(bench: Workbench): void {
  for (const name of SECRETS) bench.write(`${bench.home}/${name}`, `${SECRET}\n`);
  bench.write(`${bench.home}/notes/today`, "notes\n");
  bench.write(`${bench.home}/.config/app/settings`, "settings\n");
}

/** Every way to the secrets from a directory that holds them. */
function attacks(home: string): readonly string[] {
  return [
    ...SECRETS.map((name) => `cat ${home}/${name}`),
    `grep -rs ${SECRET} ${home}/.ssh ${home}/.aws`,
    `ln -f ${home}/.netrc stolen; cat stolen`,
    `mv ${home}/.ssh ${home}/x; cat ${home}/x/id_rsa`,
    `mv ${home}/.config ${home}/y; cat ${home}/y/gcloud/token`,
    `ln -s ${home}/.aws/credentials peek; cat peek`,
    `cp -r ${home}/.ssh copied; cat copied/id_rsa`,
    `cat /proc/self/root${home}/.netrc`,
    `umount ${home}/.ssh; unshare -Urm sh -c "umount ${home}/.ssh; cat ${home}/.ssh/id_rsa"`,
  ];
}

/** One line of all of them, each after its number. */
function together(lines: readonly string[]): string {
  return lines.map((line, at) => `echo "[${at}]"; (${line})`).join("\n");
}

/** What variables of the server's user move: where it lies, and the variables (S7). */
function movedIn(home: string) {
  const files = ["kube/one", "kube/two", "keys/private", "cfg/gh/hosts.yml", "aws-keys"].map((name) =>
    `${home}/${name}`
  );
  const environment = {
    KUBECONFIG: `${home}/kube/one:${home}/kube/two`,
    GNUPGHOME: `${home}/keys`,
    XDG_CONFIG_HOME: `${home}/cfg`,
    AWS_SHARED_CREDENTIALS_FILE: `${home}/aws-keys`,
    HISTFILE: "/dev/null",
  };
  return { files, environment };
}

/** What the same line prints outside the sandbox, for the user of the bench. */
async function unconfined(bench: Workbench, line: string): Promise<string> {
  const { command, args } = programStart(bench, []);
  const prefix = command === "setpriv" ? ["setpriv", ...args.slice(0, 3)] : [];
  const [program = "bash", ...words] = [...prefix, "bash", "-c", line];
  const { stdout } = await new Deno.Command(program, { args: words, cwd: bench.scope }).output();
  return new TextDecoder().decode(stdout);
}

/** Programs below home: `mine` in a directory that a test may name, `other` in one it does not. */
function programsBelowHome({ home }: Workbench) {
  const directories = { mine: `${home}/.cargo/bin`, other: `${home}/.local/bin` };
  return { directories, environment: { PATH: `${directories.mine}:${directories.other}:/usr/bin:/bin` } };
}

function writeProgramsBelowHome(bench: Workbench): void {
  for (const [name, directory] of Object.entries(programsBelowHome(bench).directories)) {
    Deno.chmodSync(bench.write(`${directory}/${name}`, `#!/bin/sh\necho ${name} runs\n`), 0o755);
  }
}

for (const user of usersAtHand()) {
  const testReading = sharing((bench) => {
    furnish(bench);
    const { files, environment } = movedIn(bench.home);
    for (const file of [...files, ...MORE_SECRETS.map((name) => `${bench.home}/${name}`)]) {
      bench.write(file, `# ${SECRET}\n`);
    }
    bench.write(`${bench.home}/cfg/app/settings`, "settings\n");
    return ServerProcess.start(bench, { flags: ["--read", bench.home], environment });
  }, user);

  const testConfined = sharing((bench) => {
    furnish(bench);
    bench.write(".git/hooks/pre-commit", "#!/bin/sh\n");
    bench.write(".vscode/a/tasks.json", "{}");
    bench.write(".envrc", "");
    const flags = ["--read", `${bench.home}/notes`, "--bundles", "files", "--preview", "--inline-wait", "60000"];
    return ServerProcess.start(bench, { prefix: WITHOUT_NAMESPACES[user], flags });
  }, user);

  testReading(
    `S7 credentials that variables move are hidden, and programs work next to hidden ones, as ${user}`,
    async ({ bench, server }) => {
      const secrets = [...movedIn(bench.home).files, ...MORE_SECRETS.map((name) => `${bench.home}/${name}`)];
      const look = `cat ${secrets.join(" ")}; grep -rs ${SECRET} ${bench.home}`;
      const work =
        `cat ${bench.home}/cfg/app/settings; echo null > /dev/null && echo nothing; git init -q . && git status -s`;
      const { text } = await server.shell(`${look}; ${work}`);
      assert.ok(!text.includes(SECRET), text);
      assert.match(text, /^settings\nnothing$/m);
    },
  );

  testReading(`S7 --read of the home directory opens no credentials, as ${user}`, async ({ bench, server }) => {
    const { text } = await server.shell(together(attacks(bench.home)));
    assert.ok(!text.includes(SECRET), text);
    const allowed = await server.shell(`cat ${bench.home}/notes/today ${bench.home}/.config/app/settings`);
    assert.match(allowed.text, /^notes\nsettings$/m);
    assert.ok((await unconfined(bench, `cat ${bench.home}/.ssh/id_rsa`)).includes(SECRET), "the control");
  });

  testConfined(
    `S7 S40 without namespaces what is beside credentials is readable, and nothing can be previewed, as ${user}`,
    async ({ bench, server }) => {
      assert.match(
        (await server.shell("touch ran", { preview: true })).text,
        /Cannot preview: this system refuses user and mount namespaces .*\. Run it without `preview`/,
      );
      assert.ok(!exists(`${bench.scope}/ran`));
      assert.match((await server.shell(`cat ${bench.home}/notes/today`)).text, /^notes$/m);
      assert.ok(!(await server.shell(`cat ${bench.home}/.netrc`)).text.includes(SECRET));
    },
  );

  testConfined(
    `K2 S7 S8 without namespaces native tools keep to the scope and what is readable, as ${user}`,
    async ({ bench, server }) => {
      const text = async (name: string, args: object) => (await server.call(name, args)).text;
      await Deno.symlink(`${bench.home}/.netrc`, `${bench.scope}/peek`);
      assert.match(await text("files_write", { path: "made.txt", content: "made\n" }), /^made\.txt: created/);
      assert.match(await text("files_read", { path: "made.txt" }), /\n1\tmade$/);
      assert.match(await text("files_read", { path: `${bench.home}/notes/today` }), /\n1\tnotes$/);
      for (const path of [`${bench.home}/.netrc`, "peek", "/proc/self/root/etc/passwd"]) {
        assert.match(await text("files_read", { path }), /outside the scope/);
      }
      const hook = ".git/hooks/pre-commit";
      assert.match(await text("files_write", { path: hook, content: "evil" }), /^Cannot change ".*"\.\nSandbox: /);
      assert.strictEqual(await Deno.readTextFile(`${bench.scope}/${hook}`), "#!/bin/sh\n");
    },
  );

  testConfined(`S8 without namespaces changes of protected paths are told, as ${user}`, async ({ bench, server }) => {
    const line = "echo evil > .git/hooks/pre-commit; echo evil > .vscode/a/tasks.json; rm .envrc; echo x > .mcp.json";
    const { result } = await server.shell(line);
    const meta = result["_meta"] as Readonly<Record<string, unknown>>; // the server's own format
    assert.deepStrictEqual(meta["ahma/protected_changed"], [
      { path: `${bench.scope}/.envrc`, change: "removed" },
      { path: `${bench.scope}/.git/hooks`, change: "changed" },
      { path: `${bench.scope}/.mcp.json`, change: "created" },
      { path: `${bench.scope}/.vscode`, change: "changed" },
    ]);
  });

  testReading(`S5 shared memory works, and is the command's own, as ${user}`, async ({ bench, server }) => {
    const name = `ahma-${bench.marker}`;
    const inside = await server.shell(`echo x > /dev/shm/${name} && cat /dev/shm/${name} && ls /dev/shm`);
    assert.match(inside.text, new RegExp(`^x\n${name}$`, "m"));
    assert.ok(!exists(`/dev/shm/${name}`), "the host's has no such file");
    const pool = "from multiprocessing import Pool\nif __name__ == '__main__':\n" +
      "  with Pool(2) as pool: print('sum', sum(pool.map(abs, range(-9, 10))))\n";
    bench.write("pool.py", pool);
    assert.match((await server.shell("/usr/bin/python3 pool.py")).text, /^sum 90$/m);
    try {
      await unconfined(bench, `echo x > /dev/shm/${name}`);
      assert.ok(exists(`/dev/shm/${name}`), "the control");
    } finally {
      await Deno.remove(`/dev/shm/${name}`);
    }
  });

  testReading(`S8 System V shared memory is the command's own, as ${user}`, async ({ bench, server }) => {
    const made = /id: (\d+)/.exec(await unconfined(bench, "ipcmk -M 4096"))?.[1] ?? "";
    try {
      assert.ok(!(await server.shell("ipcs -m")).text.includes(` ${made} `));
      assert.ok((await unconfined(bench, "ipcs -m")).includes(` ${made} `), "the control");
      assert.match((await server.shell("ipcmk -M 4096 && ipcs -m")).text, / 4096 /);
    } finally {
      await unconfined(bench, `ipcrm -m ${made}`);
    }
  });
}

// What is missing is decided at the start, and --strict changes the policy alone: one user meets each.
const [one = "ordinary", other = one] = usersAtHand();

// Each layer that these meet is made for each user in the tests above.
Deno.test(`S7 in a home directory as the scope, credentials stay hidden, as ${one}`, async () => {
  using bench = new Workbench(one);
  furnish(bench);
  const flags = ["--sandbox-scope", bench.home, "--allow-broad-scope"];
  await using server = await ServerProcess.start(bench, { flags });
  const { text } = await server.shell(together(attacks(bench.home)), { working_directory: bench.home });
  assert.ok(!text.includes(SECRET), text);
  const written = await server.shell(
    `echo x >> notes/today; cat notes/today; echo evil >> .netrc; echo evil > .bashrc`,
  );
  assert.match(written.text, /^notes\nx$/m);
  assert.deepStrictEqual(await Deno.readTextFile(`${bench.home}/.netrc`), `${SECRET}\n`);
  const again = await server.shell("echo more > .bashrc");
  assert.equal(await Deno.readTextFile(`${bench.home}/.bashrc`), "evil\n", "it appeared, was told, and is protected");
  assert.ok(again.failed);
});

Deno.test(`S7 --allow-read-sensitive opens one place of credentials and no other, and without the variables files are files like others, as ${other}`, async () => {
  using bench = new Workbench(other);
  furnish(bench);
  const { files } = movedIn(bench.home);
  for (const file of files) bench.write(file, `# ${SECRET}\n`);
  const flags = ["--allow-read-sensitive", `${bench.home}/.aws`, "--read", bench.home];
  await using server = await ServerProcess.start(bench, { flags });
  assert.ok((await server.shell(`cat ${bench.home}/.aws/credentials`)).text.includes(SECRET));
  assert.ok(!(await server.shell(`cat ${bench.home}/.netrc`)).text.includes(SECRET));
  const { text } = await server.shell(`cat ${files.join(" ")}`);
  assert.strictEqual(text.split(SECRET).length - 1, files.length);
  assert.match((await server.shell(`echo x > ${bench.home}/.aws/credentials`)).text, /Read-only|denied/);
});

Deno.test(`S7 without namespaces nothing runs that could read credentials, as ${one}`, async () => {
  using bench = new Workbench(one);
  furnish(bench);
  const start = ServerProcess.start(bench, { prefix: WITHOUT_NAMESPACES[one], flags: ["--read", bench.home] });
  await assert.rejects(start, (error: Error) => /could read "[^"]*"[^]*--allow-read-sensitive/.test(error.message));
});

Deno.test(`S8 --require-layer starts with it, and S4 what lies below home runs by default, as ${one}`, async () => {
  using bench = new Workbench(one);
  writeProgramsBelowHome(bench);
  const { environment } = programsBelowHome(bench);
  await using server = await ServerProcess.start(bench, { flags: ["--require-layer", "namespaces"], environment });
  assert.match((await server.shell("echo started; mine; other")).text, /^started\nmine runs\nother runs$/m);
});

Deno.test(`S8 --require-layer refuses to start without it, and says how to get it, as ${other}`, async () => {
  using bench = new Workbench(other);
  const flags = ["--require-layer", "namespaces"];
  const refused = ServerProcess.start(bench, { flags, prefix: WITHOUT_NAMESPACES[other] });
  await assert.rejects(refused, (error: Error) => /Cannot start with --require-layer namespaces/.test(error.message));
});

Deno.test(`S4 --strict closes everything below home that is not named, as ${other}`, async () => {
  using bench = new Workbench(other);
  writeProgramsBelowHome(bench);
  const { directories, environment } = programsBelowHome(bench);
  const flags = ["--strict", "--read", directories.mine];
  await using server = await ServerProcess.start(bench, { flags, environment });
  const { text } = await server.shell("mine; other");
  assert.deepStrictEqual([/^mine runs$/m.test(text), /^other runs$/m.test(text)], [true, false], text);
});

// The settings decide it before there is a sandbox: they ask nothing of the user.
Deno.test("S7 a place of credentials is refused as a scope and as --write", async () => {
  using bench = new Workbench();
  furnish(bench);
  // src/sandbox/grants/grants_test.ts has --read.
  for (const flag of ["--sandbox-scope", "--write"]) {
    const { code, stderr } = await runProgram(bench, [flag, `${bench.home}/.ssh`]);
    assert.equal(code, 1);
    assert.match(stderr, /is a place of credentials[^]*--allow-read-sensitive/);
  }
});
