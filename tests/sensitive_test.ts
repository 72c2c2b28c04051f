/**
 * Credentials are never readable (S7), and what is readable and private besides (S4, S5, S8): each denial beside the
 * matching allowance and, as a control, the same words without the sandbox.
 */
import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { exists, type User, usersAtHand, Workbench } from "./_support/workbench.ts";

const SECRET = "the-secret-of-this-test";

/** What a home holds. */
const SECRETS = [".ssh/id_rsa", ".aws/credentials", ".netrc", ".config/gcloud/token", ".bash_history"] as const;

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

for (const user of usersAtHand()) {
  Deno.test(`S7 credentials that variables move are covered, and programs work beside covered ones, as ${user}`, async () => {
    using bench = new Workbench(user);
    furnish(bench);
    const { files, environment } = movedIn(bench.home);
    const rest = [".yarnrc.yml", ".npmrc", ".m2/settings.xml", ".gradle/gradle.properties", ".gemini/oauth_creds.json"];
    const secrets = [...files, ...rest.map((name) => `${bench.home}/${name}`)];
    for (const file of secrets) bench.write(file, `# ${SECRET}\n`);
    bench.write(`${bench.home}/cfg/app/settings`, "settings\n");
    const shell = async (line: string, variables: Readonly<Record<string, string>>) => {
      await using server = await ServerProcess.start(bench, {
        flags: ["--read", bench.home],
        environment: variables,
      });
      return (await server.shell(line)).text;
    };
    const look = `cat ${secrets.join(" ")}; grep -rs ${SECRET} ${bench.home}`;
    const work =
      `cat ${bench.home}/cfg/app/settings; echo null > /dev/null && echo nothing; git init -q . && git status -s`;
    const text = await shell(`${look}; ${work}`, environment);
    assert.ok(!text.includes(SECRET), text);
    assert.match(text, /^settings\nnothing$/m);
    const open = await shell(`cat ${files.join(" ")}`, {});
    assert.strictEqual(
      open.split(SECRET).length - 1,
      files.length,
      "the control: without the variables they are files",
    );
  });

  Deno.test(`S7 --read of the home directory opens no credentials, as ${user}`, async () => {
    using bench = new Workbench(user);
    furnish(bench);
    await using server = await ServerProcess.start(bench, { flags: ["--read", bench.home] });
    for (const attack of attacks(bench.home)) {
      assert.ok(!(await server.shell(attack)).text.includes(SECRET), attack);
    }
    const allowed = await server.shell(`cat ${bench.home}/notes/today ${bench.home}/.config/app/settings`);
    assert.match(allowed.text, /^notes\nsettings$/m);
    using bareBench = new Workbench(user);
    await using bare = await ServerProcess.start(bareBench, { flags: ["--no-sandbox"] });
    assert.ok((await bare.shell(`cat ${bench.home}/.ssh/id_rsa`)).text.includes(SECRET), "the control");
  });

  Deno.test(`S7 a home directory as the scope keeps its credentials to itself, as ${user}`, async () => {
    using bench = new Workbench(user);
    furnish(bench);
    const flags = ["--sandbox-scope", bench.home, "--allow-broad-scope"];
    // The runtime's cache may not lie where commands write, and is not needed.
    await using server = await ServerProcess.start(bench, { flags, environment: { DENO_DIR: "/proc/none" } });
    for (const attack of attacks(bench.home)) {
      assert.ok(!(await server.shell(`cd ${bench.home}; ${attack}`)).text.includes(SECRET), attack);
    }
    const written = await server.shell(
      `echo x >> notes/today; cat notes/today; echo evil >> .netrc; echo evil > .bashrc`,
    );
    assert.match(written.text, /^notes\nx$/m);
    assert.deepStrictEqual(await Deno.readTextFile(`${bench.home}/.netrc`), `${SECRET}\n`);
    const again = await server.shell("echo more > .bashrc");
    assert.equal(await Deno.readTextFile(`${bench.home}/.bashrc`), "evil\n", "it appeared, was told, and is protected");
    assert.ok(again.failed);
  });

  Deno.test(`S7 --allow-read-sensitive opens one place of credentials and no other, as ${user}`, async () => {
    using bench = new Workbench(user);
    furnish(bench);
    const flags = ["--allow-read-sensitive", `${bench.home}/.aws`, "--read", bench.home];
    await using server = await ServerProcess.start(bench, { flags });
    assert.ok((await server.shell(`cat ${bench.home}/.aws/credentials`)).text.includes(SECRET));
    assert.ok(!(await server.shell(`cat ${bench.home}/.netrc`)).text.includes(SECRET));
    assert.match((await server.shell(`echo x > ${bench.home}/.aws/credentials`)).text, /Read-only|denied/);
  });

  Deno.test(`S7 a place of credentials is refused as a scope, as --read and as --write, as ${user}`, async () => {
    using bench = new Workbench(user);
    furnish(bench);
    for (const flag of ["--sandbox-scope", "--read", "--write"]) {
      const { code, stderr } = await runProgram(bench, [flag, `${bench.home}/.ssh`]);
      assert.equal(code, 1);
      assert.match(stderr, /is a place of credentials[^]*--allow-read-sensitive/);
    }
  });

  Deno.test(`S7 without namespaces nothing runs that could read credentials, as ${user}`, async () => {
    using bench = new Workbench(user);
    furnish(bench);
    const prefix = WITHOUT_NAMESPACES[user];
    const start = ServerProcess.start(bench, { prefix, flags: ["--read", bench.home] });
    await assert.rejects(start, (error: Error) => /could read "[^"]*"[^]*--allow-read-sensitive/.test(error.message));
    await using server = await ServerProcess.start(bench, { prefix, flags: ["--read", `${bench.home}/notes`] });
    assert.match((await server.shell(`cat ${bench.home}/notes/today`)).text, /^notes$/m);
    assert.ok(!(await server.shell(`cat ${bench.home}/.netrc`)).text.includes(SECRET));
  });

  Deno.test(`S8 without namespaces changes of protected paths are told, as ${user}`, async () => {
    using bench = new Workbench(user);
    bench.write(".git/hooks/pre-commit", "#!/bin/sh\n");
    bench.write(".vscode/a/tasks.json", "{}");
    bench.write(".envrc", "");
    await using server = await ServerProcess.start(bench, { prefix: WITHOUT_NAMESPACES[user] });
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

  Deno.test(`S8 --require-layer refuses to start without it, and says how to get it, as ${user}`, async () => {
    using bench = new Workbench(user);
    const flags = ["--require-layer", "namespaces"];
    const refused = ServerProcess.start(bench, { flags, prefix: WITHOUT_NAMESPACES[user] });
    await assert.rejects(refused, (error: Error) => /Cannot start with --require-layer namespaces/.test(error.message));
    await using server = await ServerProcess.start(bench, { flags });
    assert.match((await server.shell("echo started")).text, /^started$/m);
  });

  Deno.test(`S4 --strict closes what lies below home, unless it is named, as ${user}`, async () => {
    using bench = new Workbench(user);
    bench.write(`${bench.home}/.cargo/bin/mine`, "#!/bin/sh\necho mine runs\n");
    await Deno.chmod(`${bench.home}/.cargo/bin/mine`, 0o755);
    const environment = { PATH: `${bench.home}/.cargo/bin:/usr/bin:/bin` };
    const told = async (flags: readonly string[]) => {
      await using server = await ServerProcess.start(bench, { flags, environment });
      return (await server.shell("mine")).text.includes("mine runs");
    };
    assert.deepStrictEqual(
      [await told([]), await told(["--strict"]), await told(["--strict", "--read", `${bench.home}/.cargo/bin`])],
      [true, false, true],
    );
  });

  Deno.test(`S5 shared memory works, and is the command's own, as ${user}`, async () => {
    using bench = new Workbench(user);
    await using server = await ServerProcess.start(bench);
    using bareBench = new Workbench(user);
    await using bare = await ServerProcess.start(bareBench, { flags: ["--no-sandbox"] });
    const name = `ahma-${bench.marker}`;
    const inside = await server.shell(`echo x > /dev/shm/${name} && cat /dev/shm/${name} && ls /dev/shm`);
    assert.match(inside.text, new RegExp(`^x\n${name}$`, "m"));
    assert.ok(!exists(`/dev/shm/${name}`), "the host's has no such file");
    const pool = "from multiprocessing import Pool\nif __name__ == '__main__':\n" +
      "  with Pool(2) as pool: print('sum', sum(pool.map(abs, range(-9, 10))))\n";
    bench.write("pool.py", pool);
    assert.match((await server.shell("/usr/bin/python3 pool.py")).text, /^sum 90$/m);
    try {
      await bare.shell(`echo x > /dev/shm/${name}`);
      assert.ok(exists(`/dev/shm/${name}`), "the control");
    } finally {
      await Deno.remove(`/dev/shm/${name}`);
    }
  });

  Deno.test(`S8 System V shared memory is the command's own, as ${user}`, async () => {
    using bench = new Workbench(user);
    using bareBench = new Workbench(user);
    await using bare = await ServerProcess.start(bareBench, { flags: ["--no-sandbox"] });
    await using server = await ServerProcess.start(bench);
    const made = /id: (\d+)/.exec((await bare.shell("ipcmk -M 4096")).text)?.[1] ?? "";
    try {
      assert.ok(!(await server.shell("ipcs -m")).text.includes(` ${made} `));
      assert.ok((await bare.shell("ipcs -m")).text.includes(` ${made} `), "the control");
      assert.match((await server.shell("ipcmk -M 4096 && ipcs -m")).text, / 4096 /);
    } finally {
      await bare.shell(`ipcrm -m ${made}`);
    }
  });
}
