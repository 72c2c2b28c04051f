/**
 * What a result says of the denials that are no matter of places: protected paths, the network, Unix sockets, system
 * calls. Real programs leave the traces; beside each stands a failure that looks alike and of which nothing is said.
 */
import assert from "node:assert/strict";
import { HAS_COMPILER, NO_COMPILER } from "./_support/compiled.ts";
import type { ToolAnswer } from "./_support/json_rpc.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { exists, usersAtHand, Workbench } from "./_support/workbench.ts";

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

/** Its errors are the ones looked at, and it comes with every runner of CI. */
const HAS_NODE = exists("/usr/bin/node") && exists("/usr/bin/curl");
const NO_NODE = HAS_NODE ? "" : " (ignored: node or curl is not installed)";
const UNRELATED = 'node -e "process.exit(7)"';

for (const user of usersAtHand()) {
  Deno.test(`S8 S15 a change of a protected path that failed is explained, as ${user}`, async () => {
    using bench = new Workbench(user);
    await using server = await ServerProcess.start(bench);
    await server.shell("git init -q; mkdir -p libs/a; git init -q libs/a; touch .envrc");
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
      ["git config user.name x", ".git/config", ".git/config"],
      ["git remote add origin https://example.test/x", ".git/config", ".git/config"],
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

  Deno.test(`S8 S15 nothing is said of a protected path that a command reads, or just made, as ${user}`, async () => {
    using bench = new Workbench(user);
    await using server = await ServerProcess.start(bench);
    await server.shell("git init -q");
    await saysNothing(server, [
      "grep nothing .git/config",
      "cat .git/config .git/nothing",
      "git config no.such.key",
      "git status --no-such-option",
      // It was not protected while this ran.
      "mkdir .vscode; touch .vscode/a; cat .vscode/nothing",
    ]);
    using other = new Workbench(user);
    other.write(".git/config", "[core\n");
    await using broken = await ServerProcess.start(other);
    const answer = await broken.shell("git status"); // names the file, and did not try to change it
    assert.deepStrictEqual([answer.failed, deniedIn(answer)], [true, []]);
  });

  Deno.test({
    name: `S6 S15 a connection that --network closes is explained, as ${user}${NO_NODE}`,
    ignore: !HAS_NODE,
    fn: async () => {
      const told = async (network: string, lines: readonly string[], host: string, reason: string) => {
        using bench = new Workbench(user);
        await using server = await ServerProcess.start(bench, { flags: ["--network", network] });
        for (const line of lines) {
          const answer = await server.shell(line);
          assert.deepStrictEqual([line, deniedIn(answer)], [line, [{
            operation: "network",
            subject: host,
            reason: `"${host}" cannot be reached: ${reason}`,
            scope: [bench.scope],
            flags: ["--network full"],
          }]], answer.text);
          assert.ok(
            answer.text.includes(
              `\nSandbox: "${host}" cannot be reached: ${reason}. A person can allow it: start the server with ` +
                "--network full.\n",
            ),
          );
        }
        await saysNothing(server, [
          "grep -c https://example.test/a inside; false",
          "S=https; echo see $S://example.test/docs; false", // only the output names it, beside no error
          "curl -sS file:///no/such/file",
          UNRELATED,
        ]);
      };
      const byAddress = "node -e \"require('net').connect(443, '192.0.2.1')\"";
      await told(
        "none",
        [
          "curl -sS https://example.test/a",
          "git clone -q https://example.test/a",
          "git ls-remote https://u:secret@example.test/a",
          "D=example; node -e \"require('http').get('http://$D.test/')\"",
        ],
        "example.test",
        "commands have no network (--network none)",
      );
      await told("none", [byAddress], "192.0.2.1", "commands have no network (--network none)");
      await told(
        "localhost",
        [byAddress, "curl -sS http://192.0.2.1/"],
        "192.0.2.1",
        "commands reach nothing but their own loopback (--network localhost)",
      );
      using bench = new Workbench(user);
      await using local = await ServerProcess.start(bench, { flags: ["--network", "localhost"] });
      await saysNothing(local, ["curl -sS http://localhost:1/", "curl -sS http://127.0.0.1:1/"]);
      using other = new Workbench(user);
      await using open = await ServerProcess.start(other);
      await saysNothing(open, ["curl -sS http://127.0.0.1:1/", "curl -sS http://no-such-host.invalid/"]);
    },
  });

  Deno.test({
    name: `S6 S15 a Unix socket that was not to be had is explained, as ${user}${NO_NODE}`,
    ignore: !HAS_NODE,
    fn: async () => {
      using bench = new Workbench(user);
      const path = `${bench.elsewhere}/docker.sock`;
      using _listener = Deno.listen({ transport: "unix", path });
      await Deno.chmod(path, 0o777);
      const denied = (subject: string) => ({
        operation: "unix_socket",
        subject,
        reason: `"${subject}" is a Unix socket; commands can neither make nor reach one by its path`,
        scope: [bench.scope],
        flags: ["--unix-sockets allow"],
      });
      await using server = await ServerProcess.start(bench);
      const connect = `curl -sS --unix-socket ${path} http://x/`;
      assert.deepStrictEqual(deniedIn(await server.shell(connect)), [denied(path)]);
      const listen = "node -e \"require('net').createServer().listen(process.cwd() + '/own.sock')\"";
      assert.deepStrictEqual(deniedIn(await server.shell(listen)), [denied(`${bench.scope}/own.sock`)]);
      await saysNothing(server, [UNRELATED, "node -e \"require('net').createServer().listen('/nowhere/own.sock')\""]);
      using other = new Workbench(user);
      await using open = await ServerProcess.start(other, { flags: ["--unix-sockets", "allow"] });
      await saysNothing(open, [`ls ${path} && curl -sS --unix-socket ${path} http://x/ -m 0.2`]);
    },
  });

  Deno.test(`S8 S15 a program that needs a filtered system call is explained, as ${user}`, async () => {
    using bench = new Workbench(user);
    await using server = await ServerProcess.start(bench);
    for (
      const [line, program, call] of [["unshare -r true", "unshare", "unshare"], [
        "mount -t tmpfs x .",
        "mount",
        "mount",
      ]]
    ) {
      const answer = await server.shell(line ?? "");
      assert.deepStrictEqual([line, deniedIn(answer)], [line, [{
        operation: "system_call",
        subject: program,
        reason: `"${program}" needs the system call ${call}, which commands may not make; run it outside the sandbox`,
        scope: [bench.scope],
        flags: [],
      }]], answer.text);
    }
    await saysNothing(server, ["echo unshare >&2; false", "cat mount"]);
  });

  Deno.test({
    name: `S8 S15 a program of another architecture is explained, as ${user}${NO_COMPILER}`,
    ignore: !HAS_COMPILER || Deno.build.arch !== "x86_64",
    fn: async () => {
      using bench = new Workbench(user);
      const source = bench.write(
        "other.c",
        'int main(void) { __asm__ volatile("int $0x80" : : "a"(20)); return 0; }\n',
      );
      await using server = await ServerProcess.start(bench);
      await server.shell(`gcc -o other ${source}`);
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
  });
}
