import assert from "node:assert/strict";
import { parseCommandLine } from "../../settings/flags/parse_command_line.ts";
import { readInvocation } from "../../settings/settings.ts";
import { projectDirectories } from "./directories.ts";

/** What the directories of a project become by these flags; a text: why they are refused. */
async function found(project: string, words: readonly string[]): Promise<unknown> {
  const line = parseCommandLine([...words, "--sandbox-scope", project]);
  assert.ok(line.ok);
  const read = readInvocation(line.value, { environment: {}, cores: 2 });
  assert.ok(read.ok && read.value.kind === "run");
  const { dev, ino } = await Deno.stat(project);
  const sandbox = { scopes: [{ path: project, device: BigInt(dev), inode: BigInt(ino ?? 0) }], guard: undefined };
  return await projectDirectories(read.value.settings, sandbox).catch(({ message }: Error) => message);
}

Deno.test("K6 K7 K8 a directory of notes, flows or rules lies inside the project, alone, and commands write to no flow", async () => {
  const root = await Deno.makeTempDir();
  try {
    const [project, beside] = [`${root}/project`, `${root}/beside`];
    await Promise.all([project, beside].map((path) => Deno.mkdir(path)));
    const outside = (kind: string, value: string) =>
      `Cannot keep ${kind} in "${value}": it lies outside the project "${project}"; name a directory in it, as in docs/${kind}`;
    const rows = [
      ["--memos-dir", beside, outside("memos", beside)],
      ["--rules-dir", "../x", outside("rules", "../x")],
      ["--flows-dir", ".", outside("flows", ".")],
      [
        "--flows-dir",
        ".ahma/state/flows",
        `Cannot keep flows in ".ahma/state/flows": commands may write to "${project}/.ahma/state"; ` +
        "name a directory outside it",
      ],
      [
        "--memos-dir",
        ".ahma/issues",
        'Cannot keep memos in ".ahma/issues": issues are there; give each its own directory',
      ],
      ["--memos-dir", "docs/memos", {
        issues: ".ahma/issues",
        memos: "docs/memos",
        flows: ".ahma/flows",
        rules: ".ahma/rules",
      }],
    ] as const;
    for (const [flag, value, expected] of rows) assert.deepEqual(await found(project, [flag, value]), expected, value);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
