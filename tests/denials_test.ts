/**
 * What a result says when the sandbox kept something from its command: the path, what may not be done, the flag for a
 * person. And what it does not say. The oracle behind it is held against the kernel.
 */
import assert from "node:assert/strict";
import { undefinedFor } from "../src/base/errors.ts";
import { allows } from "../src/sandbox/denials/policy_query.ts";
import { dropCapabilities } from "../src/sandbox/launcher/steps/capabilities.ts";
import { policyTable } from "../src/sandbox/launcher/policy_table.ts";
import { OPEN_FLAGS, SYSTEM_CALLS } from "../src/system/syscalls.ts";
import type { Table } from "../src/sandbox/launcher/image/table.ts";
import { pathOutside } from "../src/sandbox/directories/private_temporary.ts";
import { restrictedToLandlock } from "../src/sandbox/launcher/policy_fallback.ts";
import type { ToolAnswer } from "./_support/json_rpc.ts";
import { LaunchBench, TARGET } from "./_support/kernel/launches.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { usersAtHand, Workbench } from "./_support/workbench.ts";

interface Denied {
  readonly path?: string;
  readonly access: readonly string[];
  readonly scope: readonly string[];
  readonly flags: readonly string[];
}

function deniedIn({ result }: ToolAnswer): readonly Denied[] {
  // The server's own format, compared field by field below.
  const meta = result._meta as Readonly<Record<string, unknown>> | undefined;
  return (meta?.["ahma/sandbox_denied"] ?? []) as readonly Denied[];
}

const CLOSED = ["read", "write"];

for (const user of usersAtHand()) {
  const testUsual = sharing((bench) => ServerProcess.start(bench), user);

  testUsual(
    `S15 a denied read and a denied write are explained, in any language, as ${user}`,
    async ({ bench, server }) => {
      const secret = bench.write(`${bench.elsewhere}/dir/secret`, "x");
      const directory = `${bench.elsewhere}/dir`;
      const whole = {
        path: secret,
        access: CLOSED,
        scope: [bench.scope],
        flags: [`--read ${secret}`, `--write ${directory}`],
      };
      for (const env of [{}, { LC_ALL: "de_DE.UTF-8", LANGUAGE: "de" }, { LC_ALL: "C" }]) {
        const read = await server.shell(`cat ${secret}`, { env });
        assert.deepStrictEqual([read.failed, deniedIn(read)], [true, [whole]]);
        assert.ok(
          read.text.includes(
            `\nSandbox: "${secret}" lies outside the scope; commands can neither read nor change it. A person can allow ` +
              `it: start the server with --read ${secret} or --write ${directory}.\n`,
          ),
          read.text,
        );
        assert.deepStrictEqual(deniedIn(await server.shell(`stat ${secret} && false; true`, { env })), [whole]);
        const written = await server.shell(`echo x > ${directory}/new`, { env });
        const denied = {
          path: `${directory}/new`,
          access: CLOSED,
          scope: [bench.scope],
          flags: [`--write ${directory}`],
        };
        assert.deepStrictEqual(deniedIn(written), [denied]);
      }
      const owner = `${bench.elsewhere}/node_modules/@a/tool`;
      const script = bench.write(`${owner}/bin/tool.cjs`, "x");
      assert.deepStrictEqual(deniedIn(await server.shell(`cat ${script}`)), [
        { path: script, access: CLOSED, scope: [bench.scope], flags: [`--read ${owner}`, `--write ${owner}/bin`] },
      ]);
    },
  );

  testUsual(`S15 denied paths are recognized in every spelling, as ${user}`, async ({ bench, server }) => {
    const beside = bench.write(`${bench.parent}/beside`, "x");
    bench.write(`${bench.home}/notes`, "x");
    bench.write(`${bench.elsewhere}/a b`, "x");
    bench.write("deep/er/file", "x");
    await Deno.symlink(beside, `${bench.scope}/link`);
    const rows: readonly (readonly [string, object, string])[] = [
      ["cat ~/notes", {}, `${bench.home}/notes`],
      ['cat "$HOME/notes" 2>/dev/null', {}, `${bench.home}/notes`],
      ["cat ../beside", {}, beside],
      ["cat ../../../beside", { working_directory: "deep/er" }, beside],
      ["cat link", {}, beside],
      [`cat '${bench.elsewhere}/a b'`, {}, `${bench.elsewhere}/a b`],
      [`python3 -c "import sys; sys.path.insert(0, '.'); open('${beside}')"`, {}, beside],
      [`D=${bench.parent}; cat $D/beside 2>/dev/null || echo "„$D/beside“: Zugriff verweigert"; false`, {}, beside],
      [`D=${bench.parent}; cat $D/beside`, {}, beside], // only the output names it
    ];
    for (const [line, args, path] of rows) {
      const answer = await server.shell(line, args);
      assert.ok(deniedIn(answer).some((one) => one.path === path), `${line}: ${JSON.stringify(answer.result)}`);
    }
  });

  testUsual(
    `S15 no denial is reported for failures that the sandbox did not cause, as ${user}`,
    async ({ bench, server }) => {
      bench.write(`${bench.elsewhere}/secret`, "x");
      bench.write("warning", `npm warn config EACCES: permission denied, open '${bench.home}/.npmrc'\n`);
      bench.write("broken.py", "import json\njson.loads('{')\n");
      const lines = [
        "false",
        "cat missing",
        "cat /usr/no-such-file",
        "cat /nowhere/at/all",
        "no-such-program --help",
        "/usr/bin/python3 broken.py",
        "ls --no-such-option /usr",
        "git status",
        "sh -c 'exit 3'",
        "grep -q nothing /etc/hosts",
        `cat ${bench.elsewhere}/secret 2>/dev/null; true`,
        `cd ..; cd - >/dev/null; false`,
        `ls .. >/dev/null 2>&1; cat missing`,
        "cat ~/.gitconfig",
        "cat warning; false",
        "kill -9 $$",
      ];
      for (const line of lines) {
        const answer = await server.shell(line);
        assert.deepStrictEqual(
          [line, deniedIn(answer), /^Sandbox:/m.test(answer.text)],
          [line, [], false],
          answer.text,
        );
      }
    },
  );

  testUsual(
    `S15 a denial is in the result of await too, and never suggests opening credentials, as ${user}`,
    async ({ bench, server }) => {
      const key = bench.write(`${bench.home}/.ssh/id_rsa`, "x");
      const { operation } = await server.start(`cat ${key}`);
      const answer = await server.call("await", { operation_id: operation?.operation_id });
      assert.deepStrictEqual(deniedIn(answer), [
        { path: key, access: CLOSED, scope: [bench.scope], flags: [] },
      ]);
      assert.match(
        answer.text,
        /^Sandbox: ".*id_rsa" lies outside the scope; commands can neither read nor change it\.$/m,
      );
    },
  );

  for (const layers of ["with namespaces", "with Landlock alone"] as const) {
    Deno.test(`S4 S15 the predicted access matches what the kernel does (${layers}), as ${user}`, async () => {
      await using bench = await LaunchBench.make(user);
      const policy = layers === "with namespaces" ? bench.policy : restrictedToLandlock(bench.policy);
      await growTree(bench);
      const paths = await somePaths(bench);
      const outside = paths.map((one) => ({ ...one, path: pathOutside(policy, one.path) }));
      const results = async (table: Table, probes: readonly Probe[]) => {
        const { output } = await bench.launch(probing(table, probes));
        return probes.map((_, index) =>
          new DataView(output.buffer, output.byteOffset).getUint32(8 * index, LITTLE_ENDIAN) !== FAILED
        );
      };
      const plain = await results(
        withoutCapabilities(policyTable(undefined, TARGET), policy.keptCapabilities),
        outside,
      );
      const sandboxed = await results(policyTable(policy, TARGET), paths);
      const wrong = outside.filter(({ path, access }, index) =>
        sandboxed[index] !== (plain[index] === true && allows(policy, path, access))
      );
      assert.deepStrictEqual(wrong, []);
      const granted = sandboxed.filter((worked) => worked).length;
      const denied = plain.filter((worked, index) => worked && !sandboxed[index]).length;
      assert.ok(granted > 50 && denied > 50, `${granted} granted, ${denied} denied`);
    });
  }
}

Deno.test("S15 no denial is reported without a sandbox", async () => {
  using bench = new Workbench();
  await using bare = await ServerProcess.start(bench, { flags: ["--no-sandbox"] });
  const answer = await bare.shell(`cat ${bench.write(`${bench.elsewhere}/secret`, "x")}; false`);
  assert.deepStrictEqual(deniedIn(answer), []);
});

const SYS = SYSTEM_CALLS[TARGET.processor];
const LITTLE_ENDIAN = true;
const FAILED = 0xffff_ffff;
const AT_FDCWD = -100;
const OPENING = { write: 1, read: 0, list: OPEN_FLAGS[TARGET.processor].directory } as const;

interface Probe {
  readonly path: string;
  readonly access: keyof typeof OPENING;
}

/** As in the sandbox: without them even root is refused what is another user's alone, wherever such directories lie. */
function withoutCapabilities(table: Table, kept: readonly number[]): Table {
  dropCapabilities({ table, sys: SYS, open: OPEN_FLAGS[TARGET.processor] }, kept);
  return table;
}

/** Opens every path and writes down what worked. Each descriptor is closed, or there would be too many. */
function probing(policy: Table, probes: readonly Probe[]): Table {
  const table = policy.continued();
  const results = table.words(...probes.map(() => FAILED));
  probes.forEach(({ path, access }, index) => {
    const file = table.call("open", SYS.openat, [AT_FDCWD, table.text(path), OPENING[access], 0], { mode: "soft" });
    table.send(file, { kind: "data", offset: results.offset + 8 * index });
    table.call("close", SYS.close_range, [3, 60, 0], { mode: "soft" });
  });
  table.call("tell", SYS.write, [1, results, 8 * probes.length]);
  table.call("end", SYS.exit_group, [0]);
  return table;
}

/** Directories and files inside and outside the scope, with names that share beginnings. */
async function growTree({ base, scope }: LaunchBench): Promise<void> {
  for (const root of [scope, `${scope}-evil`, `${base}/home`, `${base}/scop`, `${base}/elsewhere`]) {
    for (const below of ["", "/a", "/a/b", "/.hidden", "/é x"]) {
      await Deno.mkdir(`${root}${below}`, { recursive: true });
      await Deno.writeTextFile(`${root}${below}/file`, "");
      for (const path of [`${root}${below}`, `${root}${below}/file`]) await Deno.chmod(path, 0o777);
    }
  }
}

async function somePaths(bench: LaunchBench): Promise<readonly Probe[]> {
  const own = await probesBelow(bench.base, { most: 400, writes: true });
  const system = await Promise.all(
    ["/etc", "/usr/bin", "/usr/share", "/var", "/opt", "/root"].map((root) =>
      probesBelow(root, { most: 150, writes: false })
    ),
  );
  return [...own, ...system.flat()];
}

/** Real files and directories only: opening others can hang, or do something. */
async function probesBelow(
  root: string,
  { most, writes }: { readonly most: number; readonly writes: boolean },
): Promise<readonly Probe[]> {
  const probes: Probe[] = [];
  const pending = [root];
  for (let directory = pending.shift(); directory !== undefined && probes.length < most; directory = pending.shift()) {
    probes.push({ path: directory, access: "list" });
    const entries = await Array.fromAsync(Deno.readDir(directory)).catch(undefinedFor(Deno.errors.PermissionDenied));
    for (const { name, isFile, isDirectory } of entries ?? []) {
      const path = `${directory}/${name}`;
      if (isDirectory) pending.push(path);
      if (isFile) probes.push({ path, access: "read" });
      if (isFile && writes) probes.push({ path, access: "write" });
    }
  }
  return probes.slice(0, most);
}
