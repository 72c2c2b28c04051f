import assert from "node:assert/strict";
import { describeDiagnostic } from "../../base/diagnostic.ts";
import { SILENT } from "../../base/log.ts";
import { isWithin } from "../../system/paths.ts";
import { LiveSkills } from "./live_skills.ts";
import { bundledSkill } from "./read_skill.ts";

/** A user's and two project directories of skills, in the order in which they win a name. */
class Place implements AsyncDisposable {
  readonly root = Deno.realPathSync(Deno.makeTempDirSync());
  readonly skills: LiveSkills;

  constructor({ bundled = [], isWatched = true }: { bundled?: readonly string[]; isWatched?: boolean } = {}) {
    const directory = (origin: "user" | "project", path: string) => ({
      origin,
      path: `${this.root}/${path}`,
      mayRead: (real: string) => isWithin(real, this.root),
    });
    this.skills = new LiveSkills({
      directories: [directory("user", "user"), directory("project", "own"), directory("project", "other")],
      isWatched,
      bundled: () => Promise.all(bundled.map((name) => bundledSkill(name, skillText(name)))),
      log: SILENT,
    });
  }

  write(path: string, content: string | Uint8Array): void {
    const file = `${this.root}/${path}`;
    Deno.mkdirSync(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    Deno.writeFileSync(file, typeof content === "string" ? new TextEncoder().encode(content) : content);
  }

  /** Addresses of the files of each skill, and what is wrong. */
  async seen(): Promise<{ readonly files: readonly string[]; readonly faults: readonly string[] }> {
    const { skills, diagnostics } = await this.skills.current();
    return {
      files: skills.flatMap(({ files }) => files.map(({ uri }) => uri)),
      faults: diagnostics.map((one) => describeDiagnostic(one).replaceAll(`${this.root}/`, "")),
    };
  }

  /** Resolves after the next change that clients are told. */
  async changed(change: () => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const unsubscribe = this.skills.subscribe(() => resolve());
    change();
    await promise;
    unsubscribe();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.skills[Symbol.asyncDispose]();
    await new Deno.Command("rm", { args: ["-rf", this.root] }).output();
  }
}

function skillText(name: string, more = ""): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\n# ${name}\n`;
}

/** What is wrong with one skill `x` of a project whose files `prepare` writes; a good one next to it is served. */
async function faultsOf(prepare: (place: Place) => unknown): Promise<readonly string[]> {
  await using place = new Place();
  place.write("own/good/SKILL.md", skillText("good"));
  await prepare(place);
  const { files, faults } = await place.seen();
  assert.deepStrictEqual(files, ["skill://project/good/SKILL.md"]);
  return faults;
}

Deno.test("Q6 skills of all directories are served with every file; a user's name is not taken by a project", async () => {
  await using place = new Place({ bundled: ["ahma"] });
  place.write(
    "user/review/SKILL.md",
    skillText("review", "license: MIT\nmetadata: {version: '1'}\nallowed-tools: Bash\n"),
  );
  place.write("user/review/b.md", "b");
  place.write("user/review/a/ä c.png", new Uint8Array([0, 255]));
  place.write("user/review/.git/config", "secret");
  place.write("user/review/a/.env", "secret");
  place.write("own/review/SKILL.md", skillText("review"));
  place.write("own/plan/SKILL.md", skillText("plan"));
  place.write("other/plan/SKILL.md", skillText("plan"));
  place.write("own/README.md", "no skill");
  place.write("own/shared/notes.md", "no skill");
  assert.deepStrictEqual(await place.seen(), {
    files: [
      "skill://ahma/ahma/SKILL.md",
      "skill://project/plan/SKILL.md",
      "skill://user/review/SKILL.md",
      "skill://user/review/a/%C3%A4%20c.png",
      "skill://user/review/b.md",
    ],
    faults: [
      'other/plan: warning: The name "plan" is taken by "own/plan": rename the folder and the skill',
      'own/review: warning: The name "review" is taken by "user/review": rename the folder and the skill',
    ],
  });
  const { skills: [, , review] } = await place.skills.current();
  assert.deepStrictEqual(review?.frontMatter, {
    name: "review",
    description: "Does review.",
    license: "MIT",
    metadata: { version: "1" },
    "allowed-tools": "Bash",
  });
  assert.deepStrictEqual(
    review.files[2]?.digest,
    "sha256:3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d",
  );
  assert.deepStrictEqual(review.folders, ["skill://user/review", "skill://user/review/a"]);
});

Deno.test("Q6 a changed skill is another at once; a broken one keeps its last good version, with all its files", async () => {
  await using place = new Place();
  place.write("own/a/SKILL.md", skillText("a"));
  place.write("own/a/x.md", "one");
  const before = (await place.skills.current()).skills[0];
  await place.changed(() => place.write("own/a/x.md", "two"));
  const changed = (await place.skills.current()).skills[0];
  assert.notDeepStrictEqual(changed?.files[1]?.digest, before?.files[1]?.digest);
  assert.deepStrictEqual(changed?.files[0], before?.files[0]);
  // Broken: the whole version stays, and the next change of another skill tells nothing of it.
  place.write("own/a/SKILL.md", "---\nname: [\n---\n");
  place.write("own/a/x.md", "three");
  await place.changed(() => place.write("own/b/SKILL.md", skillText("b")));
  const { skills } = await place.skills.current();
  assert.deepStrictEqual([skills[0] === changed, skills[1]?.name], [true, "b"]);
  assert.match(
    (await place.seen()).faults.join("\n"),
    /^own\/a\/SKILL\.md:2:8: error: .*last good version stays in service/,
  );
  await place.changed(() => Deno.removeSync(`${place.root}/own/a`, { recursive: true }));
  assert.deepStrictEqual(await place.seen(), { files: ["skill://project/b/SKILL.md"], faults: [] });
});

Deno.test("Q6 without hot reload the skills of the first look stay", async () => {
  await using place = new Place({ isWatched: false });
  place.write("own/a/SKILL.md", skillText("a"));
  const before = await place.skills.current();
  place.write("own/a/SKILL.md", skillText("a", "license: MIT\n"));
  assert.ok(await place.skills.current() === before);
});

Deno.test("Q6 links, pipes and directories that lead out are refused, and nothing of them is served", async () => {
  const outside = await Deno.makeTempDir();
  await Deno.writeTextFile(`${outside}/secret.md`, "secret");
  await Deno.mkdir(`${outside}/x`);
  await Deno.writeTextFile(`${outside}/x/SKILL.md`, skillText("x"));
  const faults = async (prepare: (folder: string, place: Place) => unknown) =>
    await faultsOf((place) => {
      place.write("own/x/SKILL.md", skillText("x"));
      return prepare(`${place.root}/own/x`, place);
    });
  const out = "Cannot read skill: it is a link that leads out of its folder: put the file there itself";
  assert.deepStrictEqual([
    await faults((folder) => Deno.symlinkSync(`${outside}/secret.md`, `${folder}/a.md`)),
    await faults((folder) => Deno.symlinkSync("../good/SKILL.md", `${folder}/a.md`)),
    await faults((folder) => {
      Deno.removeSync(`${folder}/SKILL.md`);
      Deno.symlinkSync(`${outside}/x/SKILL.md`, `${folder}/SKILL.md`);
    }),
    await faults((folder) => Deno.symlinkSync("/", `${folder}/root`)),
    await faults((folder) => new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).output()),
    await faults((folder) => {
      Deno.removeSync(folder, { recursive: true });
      Deno.symlinkSync(`${outside}/x`, folder);
    }),
    await faults((folder, { root }) => {
      Deno.removeSync(folder, { recursive: true });
      Deno.symlinkSync(outside, `${root}/other`);
    }),
  ], [
    [`own/x/a.md: error: ${out}`],
    [`own/x/a.md: error: ${out}`],
    [`own/x/SKILL.md: error: ${out}`],
    [`own/x/root: error: ${out}`],
    ["own/x/pipe: error: Cannot read skill: it is not a regular file: replace it"],
    ['own: error: Cannot read skill "x": it is a link: use a real folder'],
    ["other: error: Cannot read skills: the directory is a link that leads out: use a real directory"],
  ]);
  await Deno.remove(outside, { recursive: true });
});

/** A line of shell that makes an empty file, by so many names. */
function linksTo(count: number): string {
  return `python3 -c "import os; open('0', 'w'); [os.link('0', str(n)) for n in range(1, ${count})]"`;
}

Deno.test("Q6 skills beyond the limits of the extension are refused: files, bytes, depth, names", async () => {
  /** What is wrong with a skill once a line of shell has run in its folder. */
  const after = async (line: string) =>
    await faultsOf(async (place) => {
      place.write("own/x/SKILL.md", skillText("x"));
      await new Deno.Command("sh", { args: ["-c", line], cwd: `${place.root}/own/x` }).output();
    });
  const limits = "own/x: error: Cannot read skill: at most 512 files of 16777216 bytes are allowed: remove some";
  const unclear = (name: string) =>
    `own/x: error: Cannot read skill: the name ${name} holds a hidden or control character or a backslash: ` +
    "rename the file";
  assert.deepStrictEqual([
    await after(linksTo(512)),
    await after("mkdir -p a/b/c/d/e/f/g/h/i"),
    await after("truncate -s 4194305 f"),
    await after("truncate -s 4194304 f1 f2 f3 f4"),
    await after("touch 'a\nb.md'"),
    await after("touch a\u202eb.md"),
    await after("mkdir 'a\nb'"),
  ], [
    [limits],
    [limits],
    ["own/x/f: error: Cannot read skill: it has 4194305 bytes, at most 4194304 are read"],
    [limits],
    [unclear('"a\\nb.md"')],
    [unclear('"a\\u202eb.md"')],
    [unclear('"a\\nb"')],
  ]);
});

Deno.test("Q6 a skill within the limits of the extension is served: 512 files, almost 16 MiB", async () => {
  await using place = new Place();
  place.write("own/x/SKILL.md", skillText("x"));
  const line = `${linksTo(508)}; truncate -s 4194000 a b c`;
  await new Deno.Command("sh", { args: ["-c", line], cwd: `${place.root}/own/x` }).output();
  const { files, faults } = await place.seen();
  assert.deepStrictEqual([files.length, faults], [512, []]);
});

Deno.test("Q6 a SKILL.md that is no skill is refused with the place, hostile front matter too", async () => {
  const fault = async (text: string | Uint8Array, folder = "x") =>
    (await faultsOf((place) => place.write(`own/${folder}/SKILL.md`, text))).join("\n");
  const bomb = `a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b]\n`;
  const told: readonly (readonly [string, string | Uint8Array, string?])[] = [
    ["begins without front matter", "# x"],
    ["begins without front matter", "\ufeff" + skillText("x")],
    ["is not closed", "---\nname: x\n"],
    ["is not UTF-8", new Uint8Array([0xff, 0xfe])],
    ["has 102401 bytes, at most 102400", "x".repeat(102_401)],
    ["Excessive alias count", skillText("x", bomb)],
    ["is not valid YAML: Maximum call stack", skillText("x", `a: ${"[".repeat(3_000)}\n`)],
    ["has values that JSON cannot", skillText("x", "a: &x [*x]\n")],
    ["has values that JSON cannot", skillText("x", "a: .nan\n")],
    ["has values that JSON cannot", skillText("x", "a: 12345678901234567890\n")],
    ["contains the hidden character U+202E", skillText("x", 'a: {b: ["\\u202e"]}\n')],
    ["contains the hidden character U+001B", skillText("x", '"\\e[2J": 1\n')],
    ["at most 16384 are read", skillText("x", `a: ${"y".repeat(20_000)}\n`)],
    ["is not a mapping", "---\n- a\n---\n"],
    ['The name "y" is not that of the folder: write "name: x"', skillText("y")],
    ["The name missing is not that", "---\ndescription: a\n---\n"],
    ["must be a text of 1 to 1024", "---\nname: x\n---\n"],
    ["must be a text of 1 to 1024", `---\nname: x\ndescription: ${"y".repeat(1_025)}\n---\n`],
    ["hidden character U+202E", skillText("x") + "\u202e"],
    ["hidden character U+E0041", skillText("x", "a: \u{e0041}\n")],
    ['the name "X" must have at most 64 of a-z', skillText("X"), "X"],
    ['the name "a--b" must have', skillText("a--b"), "a--b"],
    ['own: error: Cannot read skill: the name "a\\nb" must have', skillText("x"), "a\nb"],
    ['the name "xxx', skillText("x".repeat(65)), "x".repeat(65)],
  ];
  for (const [expected, text, folder] of told) {
    const said = await fault(text, folder);
    assert.ok(said.includes(expected) && said.split("\n").every((line) => line.startsWith("own")), said);
  }
  const supporting = await faultsOf((place) => {
    place.write("own/x/SKILL.md", skillText("x"));
    place.write("own/x/more/a.md", "see\u200bme");
  });
  assert.match(supporting.join(), /The file "more\/a\.md" holds the hidden character U\+200B: remove it/);
});
