import assert from "node:assert/strict";
import { describeDiagnostic } from "../base/diagnostic.ts";
import { SILENT } from "../base/log.ts";
import { isWithin } from "../system/paths.ts";
import type { PromptOrigin } from "./format/prompt.ts";
import { LivePrompts } from "./live_prompts.ts";

/** Directories of the user and a project, and the prompts of both. */
class Place implements AsyncDisposable {
  readonly root = Deno.realPathSync(Deno.makeTempDirSync());
  readonly #bundled: Readonly<Record<string, string>>;
  prompts: LivePrompts;

  constructor(bundled: Readonly<Record<string, string>> = {}) {
    this.#bundled = bundled;
    this.prompts = this.#open();
  }

  write(path: string, text: string): void {
    const file = `${this.root}/${path}`;
    Deno.mkdirSync(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(file, text);
  }

  /** Name, origin and body of what clients see. */
  async listed(): Promise<readonly string[]> {
    return (await this.prompts.current()).listed.map(({ name, origin, body }) => `${name} ${origin} ${body}`);
  }

  async faults(): Promise<readonly string[]> {
    const { diagnostics } = await this.prompts.current();
    return diagnostics.map((one) => describeDiagnostic(one).replaceAll(this.root, ""));
  }

  /** The text of a prompt, or its fault. */
  async text(name: string): Promise<string> {
    const library = await this.prompts.current();
    const prompt = library.all.get(name);
    assert.ok(prompt);
    const rendered = await this.prompts.render(library, prompt, {});
    return rendered.ok ? rendered.value.map(({ text }) => text).join("|") : rendered.problem.message;
  }

  /** Resolves after the next change that clients are told. */
  async changed(change: () => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const unsubscribe = this.prompts.subscribe(resolve);
    change();
    await promise;
    unsubscribe();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.prompts[Symbol.asyncDispose]();
    Deno.removeSync(this.root, { recursive: true });
  }

  #open(): LivePrompts {
    const directory = (origin: PromptOrigin) => ({
      origin,
      path: `${this.root}/${origin}`,
      mayRead: (real: string) => isWithin(real, this.root),
    });
    return new LivePrompts({
      directories: () => [directory("user"), directory("project")],
      watched: [`${this.root}/user`, `${this.root}/project`],
      bundled: () =>
        Promise.resolve(
          Object.entries(this.#bundled).map(([name, text]) => ({
            name,
            origin: "bundled",
            file: `${name}.md`,
            text,
          })),
        ),
      variables: () => ({ project_name: "place" }),
      log: SILENT,
    });
  }
}

Deno.test("Q1 later directories win a name, folders are part of it, and what they win is known", async () => {
  await using place = new Place({ plan: "B plan", fix: "B fix", _guards: "B guards" });
  place.write("user/fix.md", "U fix");
  place.write("project/plan.md", "P plan");
  place.write("project/review/code.liquid", "P code");
  place.write("project/notes.txt", "no prompt");
  assert.deepStrictEqual(await place.listed(), ["fix user U fix", "plan project P plan", "review/code project P code"]);
  const { overridden } = await place.prompts.current();
  assert.deepStrictEqual([...overridden].map(([{ name }, origins]) => [name, origins]), [["fix", ["bundled"]], [
    "plan",
    ["bundled"],
  ]]);
});

Deno.test("Q1 one name for two files is refused, and a partial cannot hide a prompt", async () => {
  await using place = new Place({ plan: "B plan" });
  place.write("project/a.liquid", "first");
  place.write("project/a.md", "second");
  place.write("project/plan.md", "{% partial %}");
  assert.deepStrictEqual(await place.listed(), ["a project first", "plan bundled B plan"]);
  assert.deepStrictEqual(await place.faults(), [
    '/project/a.md:1:1: error: The name "a" is taken by "/project/a.liquid": rename one of the files',
    '/project/plan.md:1:1: error: A partial cannot take the name "plan" of a bundled prompt: rename the file',
  ]);
});

Deno.test("Q4 a project cannot change what prompts of the program and the user include", async () => {
  const include = '{% render "_guards" %} in {{ project_name }}';
  await using place = new Place({ plan: include, _guards: "bundled guards" });
  place.write("user/mine.md", include);
  place.write("project/ours.md", include);
  place.write("project/_guards.md", "project guards");
  assert.deepStrictEqual(
    [await place.text("plan"), await place.text("mine"), await place.text("ours")],
    ["bundled guards in place", "bundled guards in place", "project guards in place"],
  );
  await place.changed(() => place.write("user/_guards.md", "user guards"));
  assert.deepStrictEqual(await place.text("plan"), "user guards in place");
});

Deno.test("Q4 links that lead out of a directory are refused, those that stay inside are read", async () => {
  await using place = new Place();
  place.write("secret.md", "secret");
  place.write("outside/more.md", "secret");
  place.write("project/real.md", "fine");
  await Deno.symlink("real.md", `${place.root}/project/inside.md`);
  await Deno.symlink("../secret.md", `${place.root}/project/out.md`);
  await Deno.symlink("../outside", `${place.root}/project/folder`);
  await using elsewhere = new Place();
  await Deno.symlink(elsewhere.root, `${place.root}/user`);
  assert.deepStrictEqual(await place.listed(), ["inside project fine", "real project fine"]);
  assert.deepStrictEqual(await place.faults(), [
    "/project/out.md: error: Cannot read prompt: it is a link that leads out of the directory: put the file there",
    "/user: error: Cannot read prompts: the directory is a link that leads out: use a real directory",
  ]);
});

Deno.test("Q3 prompts are noticed as they are added, edited, broken, repaired and removed, folders included", async () => {
  await using place = new Place();
  place.write("project/a.md", "one");
  assert.deepStrictEqual(await place.listed(), ["a project one"]);
  await place.changed(() => place.write("project/deep/er/b.md", "two"));
  assert.deepStrictEqual(await place.listed(), ["a project one", "deep/er/b project two"]);
  await place.changed(() => place.write("project/deep/er/b.md", "three"));
  // Broken front matter and a broken template: both keep what they were, and say so.
  place.write("project/a.md", "---\ntitle: [\n---\n");
  place.write("project/deep/er/b.md", "\n{% if %}");
  await place.changed(() => place.write("project/c.md", "four"));
  assert.deepStrictEqual(await place.listed(), ["a project one", "c project four", "deep/er/b project three"]);
  const kept = (await place.faults()).map((fault) => fault.replace(/error: .*? \(/, "error: ("));
  assert.deepStrictEqual(kept, [
    "/project/a.md:2:9: error: (the last good version stays in service)",
    "/project/deep/er/b.md:2:6: error: (the last good version stays in service)",
  ]);
  await place.changed(() => place.write("project/a.md", "five"));
  await place.changed(() => remove(`${place.root}/project/deep`));
  assert.deepStrictEqual([await place.listed(), await place.faults()], [["a project five", "c project four"], []]);
});

Deno.test("Q2 checked() finds what the first list did not look for, and such a prompt tells its fault", async () => {
  await using place = new Place();
  place.write("project/a.md", "---\ntitle: A\n---\n{% if x %}");
  assert.deepStrictEqual([await place.listed(), await place.faults()], [["a project {% if x %}"], []]);
  await place.prompts.checked();
  assert.deepStrictEqual([await place.listed(), await place.faults()], [["a project {% if x %}"], [
    "/project/a.md:4:1: error: Tag {% if x %} not closed",
  ]]);
  assert.deepStrictEqual(await place.text("a"), "Tag {% if x %} not closed");
});

function remove(path: string): void {
  Deno.removeSync(path, { recursive: true });
}
