import type { Programs } from "./programs.ts";
import type { Row, Seen } from "./report.ts";
import { StdioClient } from "./stdio_client.ts";
import { more, timeOf } from "./samples.ts";

/** Bytes of each file; each has other ones. */
const BYTES = 300;
const PER_DIRECTORY = 100;
/** Milliseconds that a call takes longer which changed nothing. */
const LONGER = 5;

/** What `--undo` adds to a call, in turns with a server without it, and compared with git and `cp` (S39). */
export async function undo(programs: Programs, counts: readonly number[], calls: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const count of counts) rows.push(...await ofTree(programs, count, calls));
  return rows;
}

async function ofTree(programs: Programs, count: number, calls: number): Promise<readonly Row[]> {
  const scope = `${programs.parent}/undo-${count}`;
  await makeTree(scope, count);
  const files = `${count.toLocaleString("en")} files`;
  const copying = await timeOf(() => run("cp", ["-a", "--reflink=auto", scope, `${scope}-copy`]));
  await using ours = new StdioClient(programs.packed("--undo", "--inline-wait", "600000", "--sandbox-scope", scope));
  await using plain = new StdioClient(programs.packed("--sandbox-scope", scope));
  await Promise.all([ours.initialize(), plain.initialize()]);
  // A scan of this many files may take longer than the default limit of a shell line.
  const first = await timeOf(() => ours.call("changes", {}));
  const by = async (measure: string, line: string): Promise<Row> => {
    const samples = { ours: [] as number[], plain: [] as number[] };
    // The first turns warm both up.
    for (let turn = -5; turn < calls; turn++) {
      const turns = [await timeOf(() => plain.shell(line, "hi")), await timeOf(() => ours.shell(line, "hi"))] as const;
      if (turn < 0) continue;
      samples.plain.push(turns[0]);
      samples.ours.push(turns[1]);
    }
    const floor = { name: "without --undo", samples: samples.plain };
    return { measure, unit: "ms", ours: samples.ours, floor };
  };
  const target = {
    text: `S39: <= ${LONGER} ms more`,
    met: (seen: Seen) => more(seen) <= LONGER,
  };
  const unchanged = await by(`--undo, a call that changed nothing, ${files}`, "echo hi");
  const changed = await by(`--undo, a call that changed a file, ${files}`, "echo $RANDOM > 0/0; echo hi");
  return [
    {
      measure: `--undo, the first look and call, ${files}`,
      unit: "ms",
      ours: [first],
      floor: { name: "cp -a --reflink=auto", samples: [copying] },
    },
    { ...unchanged, target },
    changed,
    await besideGit(scope, changed, files),
  ];
}

/** Git needs a repository, which is made when all else is measured. */
async function besideGit(scope: string, { ours }: Row, files: string): Promise<Row> {
  const git = (...words: readonly string[]) =>
    run("git", ["-C", scope, "-c", "user.name=n", "-c", "user.email=n@e", ...words]);
  await git("init", "--quiet");
  await git("add", "--all");
  await git("commit", "--quiet", "--message", "all");
  const samples: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    await Deno.writeTextFile(`${scope}/0/0`, `${turn}`);
    samples.push(await timeOf(() => git("stash", "create")));
  }
  const floor = { name: "git stash create", samples };
  return { measure: `the same beside git, ${files}`, unit: "ms", ours, floor };
}

async function makeTree(scope: string, count: number): Promise<void> {
  for (let file = 0; file < count; file++) {
    const directory = `${scope}/${Math.floor(file / PER_DIRECTORY)}`;
    if (file % PER_DIRECTORY === 0) await Deno.mkdir(directory, { recursive: true });
    await Deno.writeTextFile(`${directory}/${file % PER_DIRECTORY}`, `${file} `.padEnd(BYTES, "x"));
  }
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args: [...args], stdout: "null" }).output();
  if (!success) throw new Error(`Cannot run ${program}: ${new TextDecoder().decode(stderr)}`);
}
