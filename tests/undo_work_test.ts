/** S39: what work on a project does is taken back to the byte: by git, sed, npm, a formatter, and by other servers. */
import assert from "node:assert/strict";
import { asUser } from "./attacks/means/as_user.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { upstreamServer, withServers } from "./_support/servers/upstream.ts";
import { Workbench } from "./_support/workbench.ts";

const FLAGS = ["--undo", "--inline-wait", "120000"];
const GIT = "git -c user.name=n -c user.email=n@e.invalid -c core.pager=cat";
const FACTS = `LC_ALL=C find . -path ./.git -prune -o -printf '%p %y %m %T@ %U:%G %s %n %l\n' | LC_ALL=C sort |
  grep -v '^[.] d' && find . -path ./.git -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum`;

async function own({ user, home, scope }: Workbench, line: string): Promise<string> {
  const [program = "", ...args] = asUser(user, ["bash", "-c", `exec 2>&1; ${line}`]);
  const env = { PATH: Deno.env.get("PATH") ?? "", HOME: home };
  const { stdout } = await new Deno.Command(program, { args, cwd: scope, clearEnv: true, env }).output();
  return new TextDecoder().decode(stdout);
}

/** Runs a line, takes it back, and compares all facts of the tree; what the undo said. */
async function backAgain(bench: Workbench, server: ServerProcess, line: string): Promise<string> {
  const facts = async () => (await own(bench, FACTS)).split("\n");
  const before = await facts();
  const { text } = await server.shell(line, { timeout_seconds: 120 });
  const operation_id = /`changes` (op_\w+)/.exec(text)?.[1] ?? assert.fail(`${line}: ${text}`);
  assert.notDeepEqual(await facts(), before, line);
  const { text: done } = await server.call("changes", { operation_id, action: "undo" }, { deadline: 120_000 });
  const after = await facts();
  const differing = [before.filter((one) => !after.includes(one)), after.filter((one) => !before.includes(one))];
  assert.deepEqual(differing, [[], []], `${line}: ${done}`);
  return done;
}

// tests/undo_test.ts takes other work back as both users.
Deno.test("S39 git, sed, a formatter and npm are each taken back", async () => {
  using bench = new Workbench("ordinary");
  await own(
    bench,
    `mkdir -p many src && for i in $(seq 60); do echo "old $i" > many/$i; done && git init -q -b main . &&
      for i in $(seq 20); do echo "const a$i = {b:$i,   c :  [1,2]}" > src/$i.ts; done; echo '{"name":"x"}' > package.json
      mkdir -p dep && echo '{"name":"dep","version":"1.0.0","bin":{"dep":"run.js"}}' > dep/package.json &&
      echo '#!/usr/bin/env node' > dep/run.js; git add -A . && ${GIT} commit -qm one && ${GIT} commit -q --allow-empty -m two
      ${GIT} checkout -q -b other && sed -i s/old/other/ many/1* && git rm -q -r src && ${GIT} commit -qam three
      git checkout -q main; echo untracked > new; echo more >> many/1; chmod 4755 many/2; ln many/3 second; touch -d 1999-09-09 many/4`,
  );
  await using server = await ServerProcess.start(bench, { flags: FLAGS });
  const lines = [
    "git checkout -q -f other",
    "git reset -q --hard; git clean -qfd",
    `${GIT} stash -q -u && git stash drop -q`,
    "sed -i 's/$/!/' many/*",
    "for f in src/*.ts; do sed 's/ *:  */: /g; s/,  */, /g' $f > tmp && mv tmp $f; done",
    "npm install --silent --no-audit --no-fund --offline ./dep && test -L node_modules/.bin/dep",
  ];
  for (const line of lines) {
    const done = await backAgain(bench, server, line);
    if (line.includes("stash")) assert.match(done, /^git refs\/stash|^Put back/m);
    if (line.includes("-f other")) await own(bench, "git symbolic-ref HEAD refs/heads/main");
  }
});

interface Servers {
  readonly bench: Workbench;
  readonly one: ServerProcess;
  readonly other: ServerProcess;
}

async function undoneByTheOther({ bench, one, other }: Servers): Promise<void> {
  await own(bench, "mkdir a b; echo 1 > a/1; echo 1 > b/1");
  const before = await own(bench, FACTS);
  const first = /op_\w+/.exec((await one.shell("rm -r a")).text)?.[0];
  const second = /op_\w+/.exec((await other.shell("rm -r b")).text)?.[0];
  const listed = (await one.call("changes")).text.split("\n").map((line) => line.split(/ {2,}/).toSpliced(1, 1));
  assert.deepEqual(listed, [[second, "2 D", "sandboxed_shell: rm -r b"], [first, "2 D", "sandboxed_shell: rm -r a"]]);
  for (const operation_id of [second, first]) {
    assert.match((await one.call("changes", { operation_id, action: "undo" })).text, /^Put back 2 paths/);
  }
  assert.equal(await own(bench, FACTS), before);
  // What the first server put back was not done by a call of the other.
  assert.doesNotMatch((await other.shell("true")).text, /Changed/);
}

async function keepsWhatAPersonWrites({ bench, other: server }: Servers): Promise<void> {
  await own(bench, "mkdir d; for i in $(seq 300); do echo old > d/$i; done; echo mine > apart");
  const [operation_id] = /op_\w+/.exec((await server.shell("sed -i s/old/new/ d/*")).text) ?? [];
  const writing = own(bench, "for i in $(seq 100); do echo person > d/$i; echo person >> apart; sleep 0.002; done");
  const { text } = await server.call("changes", { operation_id, action: "undo" });
  await writing;
  const is = (await own(bench, "cd d; cat $(seq 100)")).trim().split("\n");
  assert.deepEqual(is.filter((line) => line !== "person"), []);
  assert.match(await own(bench, "cat apart"), /^mine\n(?:person\n){100}$/);
  assert.equal(await own(bench, "cd d; cat $(seq 101 300) | sort | uniq -c | tr -s ' '"), " 200 old\n");
  assert.match(text, /^Put back/);
}

async function ofAThirdPartyServer({ bench, one: server }: Servers): Promise<void> {
  await own(bench, "echo before > c");
  const answer = await server.call("srv_write", { text: `${bench.scope}/c` });
  assert.doesNotMatch(answer.text, /Changed/, "the server's result is handed on unchanged");
  const { text } = await server.call("changes");
  assert.match(text, /^op_\w+ {2}.* ago {2}1 M {2}srv_write: /);
  await server.call("changes", { operation_id: text.split(" ")[0], action: "undo" });
  assert.equal(await own(bench, "cat c"), "before\n");
}

Deno.test("S39 two servers of one tree keep apart what each of them did, a person and a third-party server", async (t) => {
  using bench = new Workbench("ordinary");
  const servers = { srv: { ...upstreamServer(bench), write: ["scope"] } };
  await using one = await withServers(bench, servers, { flags: FLAGS });
  await using other = await ServerProcess.start(bench, { flags: FLAGS });
  const step = async (name: string, scene: typeof undoneByTheOther) =>
    await t.step(name, async () => await scene({ bench, one, other }));
  await step("each undoes what the other did", undoneByTheOther);
  await step(
    "what a person writes during a command and an undo is kept, and named if it conflicts",
    keepsWhatAPersonWrites,
  );
  await step("what a third-party server wrote during a call belongs to that call", ofAThirdPartyServer);
  await one.closeInput();
  await one.exit();
});
