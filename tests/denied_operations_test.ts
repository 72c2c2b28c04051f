/**
 * What a result says of the denials that are no matter of places: protected paths, the network, Unix sockets, system
 * calls. Real programs leave the traces; beside each stands a failure that looks alike and of which nothing is said.
 */
import assert from "node:assert/strict";
import { asUser } from "./attacks/means/as_user.ts";
import { HAS_COMPILER, NO_COMPILER } from "./_support/kernel/compiled.ts";
import type { ToolAnswer } from "./_support/json_rpc.ts";
import { missingPrograms } from "./_support/programs_at_hand.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { usersAtHand, withUsersInTurn, Workbench } from "./_support/workbench.ts";

function deniedIn({ result }: ToolAnswer): readonly Readonly<Record<string, unknown>>[] {
  // The server's own format, compared whole below.
  const meta = result._meta as Readonly<Record<string, unknown>> | undefined;
  return (meta?.["ahma/sandbox_denied"] ?? []) as readonly Readonly<Record<string, unknown>>[];
}

async function saysNothing(server: ServerProcess, lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    const answer = await server.shell(line);
    assert.deepStrictEqual([line, answer.failed, deniedIn(answer)], [line, true, []], answer.text);
    assert.doesNotMatch(answer.text, /^Sandbox:/m);
  }
}

/** Their errors are the ones looked at; the one is where Node's user chose, which root's stand-in may not reach. */
const HAS_NODE = missingPrograms(["node", "curl"], "ordinary").length === 0;
const NO_NODE = HAS_NODE ? "" : " (ignored: node or curl is not installed for all)";
const UNRELATED = 'node -e "process.exit(7)"';

for (const user of usersAtHand()) {
  const testUsual = sharing((bench) => ServerProcess.start(bench), user);

  Deno.test(`S8 S15 a change of a protected path that failed is explained, as ${user}`, async () => {
    using bench = new Workbench(user);
    // The user made it: what commands make is set aside instead.
    const line = "git init -q; mkdir -p libs/a; git init -q libs/a; touch .envrc .git/config.worktree";
    const [program = "", ...args] = asUser(user, ["sh", "-c", line]);
    assert.ok((await new Deno.Command(program, { args, cwd: bench.scope }).output()).success);
    await using server = await ServerProcess.start(bench);
    const denied = (path: string, opened: string) => ({
      path: `${bench.scope}/${path}`,
      access: ["write"],
      protected: true,
      scope: [bench.scope],
      flags: [`--allow-protected ${opened}`],
    });
    const rows: readonly (readonly [line: string, path: string, opened: string])[] = [
      ["echo x > .git/hooks/pre-commit", ".git/hooks/pre-commit", ".git/hooks"],
      ["LC_ALL=de_DE.UTF-8 touch .git/hooks/new", ".git/hooks/new", ".git/hooks"],
      ["echo x > .envrc", ".envrc", ".envrc"],
      // Only the output names these: the first by the file that git made beside it, the second by its error.
      ["git config --file .git/config.worktree user.name x", ".git/config.worktree", ".git/config.worktree"],
      [`D=hooks; python3 -c "open('.git/$D/x', 'w')"`, ".git/hooks/x", ".git/hooks"],
    ];
    for (const [line, path, opened] of rows) {
      const answer = await server.shell(line);
      assert.deepStrictEqual([line, deniedIn(answer)], [line, [denied(path, opened)]], answer.text);
      const said = `\nSandbox: "${bench.scope}/${path}" is protected, because programs outside the sandbox obey it; ` +
        "commands can read but not change it. A person can allow it: start the server with --allow-protected " +
        `${opened}.\n`;
      assert.ok(answer.text.includes(said), answer.text);
    }
    const removed = await server.shell("rm -rf .git/hooks");
    assert.deepStrictEqual(deniedIn(removed).map(({ flags }) => flags), [["--allow-protected .git/hooks"]]);
  });

  testUsual(
    `S8 S15 nothing is said of a protected path that a command reads, or just made, as ${user}`,
    async ({ bench, server }) => {
      await saysNothing(server, [
        "grep nothing .git/config",
        "cat .git/config .git/nothing",
        "git config no.such.key",
        "git status --no-such-option",
        // It was not protected while this ran.
        "mkdir .vscode; touch .vscode/a; cat .vscode/nothing",
      ]);
      await server.shell("git init -q broken");
      bench.write("broken/.git/config", "[core\n");
      const answer = await server.shell("git -C broken status"); // names the file, and did not try to change it
      assert.deepStrictEqual([answer.failed, deniedIn(answer)], [true, []]);
      assert.match(answer.text, /bad config line 1 in file/);
    },
  );

  testUsual(
    `S6 S15 nothing is said of a connection that fails where the network is open, as ${user}${NO_NODE}`,
    async ({ server }) => {
      await saysNothing(server, ["curl -sS http://127.0.0.1:1/", "curl -sS http://no-such-host.invalid/"]);
    },
    { ignore: !HAS_NODE },
  );

  testUsual(
    `S6 S15 a Unix socket that was not to be had is explained, as ${user}${NO_NODE}`,
    async ({ bench, server }) => {
      const path = `${bench.elsewhere}/docker.sock`;
      using _listener = await openSocket(path);
      const denied = (subject: string) => ({
        operation: "unix_socket",
        subject,
        reason: `"${subject}" is a Unix socket of another program; commands reach only those that they make themselves`,
        scope: [bench.scope],
        flags: ["--unix-sockets allow"],
      });
      assert.deepStrictEqual(deniedIn(await server.shell(reachSocket(path))), [denied(path)]);
      const inScope = `${bench.scope}/other.sock`;
      using _inScope = await openSocket(inScope);
      assert.deepStrictEqual(deniedIn(await server.shell(reachSocket(inScope))), [denied(inScope)]);
      await saysNothing(server, [UNRELATED, "node -e \"require('net').createServer().listen('/nowhere/own.sock')\""]);
    },
    { ignore: !HAS_NODE },
  );

  testUsual(
    `S8 S15 a program that needs what commands may not do is explained, as ${user}`,
    async ({ bench, server }) => {
      for (const [program, line] of Object.entries({ unshare: "unshare -r true", mount: "mount -t tmpfs x ." })) {
        const answer = await server.shell(line);
        assert.deepStrictEqual([line, deniedIn(answer)], [line, [{
          operation: "program",
          subject: program,
          reason: `"${program}" is not for commands, which may not change mounts and namespaces; a person can run it ` +
            "outside the sandbox",
          scope: [bench.scope],
          flags: [],
        }]], answer.text);
      }
      await saysNothing(server, ["echo unshare >&2; false", "cat mount"]);
    },
  );

  testUsual(
    `S8 S15 a program of another architecture is explained, as ${user}${NO_COMPILER}`,
    async ({ bench, server }) => {
      const program = 'int main(void) { __asm__ volatile("int $0x80" : : "a"(20)); return 0; }\n';
      await server.shell(`gcc -o other ${bench.write("other.c", program)}`);
      const denial = {
        operation: "system_call",
        subject: "SIGSYS",
        reason: "a program was ended by SIGSYS; so end programs of another architecture (32-bit ones) in the sandbox",
        scope: [bench.scope],
        flags: [],
      };
      for (const line of ["./other", "./other; exit $?", "exec ./other"]) {
        assert.deepStrictEqual([line, deniedIn(await server.shell(line))], [line, [denial]]);
      }
      await saysNothing(server, ["kill -TERM $$", "kill -KILL $$"]);
    },
    { ignore: !HAS_COMPILER || Deno.build.arch !== "x86_64" },
  );
}

const byAddress = "node -e \"require('net').connect(443, '192.0.2.1')\"";
const CLOSED = [
  {
    network: "none",
    more: [],
    reason: "commands have no network (--network none)",
    ways: {
      "example.test": [
        "curl -sS https://example.test/a",
        "git clone -q https://example.test/a",
        "git ls-remote https://u:secret@example.test/a",
        "D=example; node -e \"require('http').get('http://$D.test/')\"",
      ],
      "192.0.2.1": [byAddress],
    },
  },
  {
    network: "localhost",
    more: ["--unix-sockets", "allow"],
    reason: "commands reach nothing but their own loopback (--network localhost)",
    ways: { "192.0.2.1": [byAddress, "curl -sS http://192.0.2.1/"] },
  },
];

// What is said depends on no right of the user.
for (const [{ network, more, reason, ways }, user] of withUsersInTurn(CLOSED)) {
  Deno.test({
    name: `S6 S15 a connection that --network ${network} closes is explained, as ${user}${NO_NODE}`,
    ignore: !HAS_NODE,
    fn: async () => {
      using bench = new Workbench(user);
      await using server = await ServerProcess.start(bench, { flags: ["--network", network, ...more] });
      for (const [host, lines] of Object.entries(ways)) {
        for (const line of lines) {
          const answer = await server.shell(line);
          assert.deepStrictEqual([line, deniedIn(answer)], [line, [{
            operation: "network",
            subject: host,
            reason: `"${host}" cannot be reached: ${reason}`,
            scope: [bench.scope],
            flags: ["--network full"],
          }]], answer.text);
          const said =
            `\nSandbox: "${host}" cannot be reached: ${reason}. A person can allow it: start the server with ` +
            "--network full.\n";
          assert.ok(answer.text.includes(said), answer.text);
        }
      }
      await saysNothing(server, [
        "grep -c https://example.test/a inside; false",
        "S=https; echo see $S://example.test/docs; false", // only the output names it, beside no error
        "curl -sS file:///no/such/file",
        UNRELATED,
      ]);
      if (network === "none") return;
      await saysNothing(server, ["curl -sS http://localhost:1/", "curl -sS http://127.0.0.1:1/"]);
      const path = `${bench.elsewhere}/docker.sock`;
      using _listener = await openSocket(path);
      await saysNothing(server, [`ls ${path} && ${reachSocket(path)} -m 0.2`]);
    },
  });
}

/** A socket outside the scope that each user may reach. */
async function openSocket(path: string): Promise<Deno.Listener> {
  const listener = Deno.listen({ transport: "unix", path });
  await Deno.chmod(path, 0o777);
  return listener;
}

function reachSocket(path: string): string {
  return `curl -sS --unix-socket ${path} http://x/`;
}
