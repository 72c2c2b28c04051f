import assert from "node:assert/strict";
import { stoppedClock } from "../../base/_support/timers.ts";
import { SILENT } from "../../base/log.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { AskProbe, RecallProbes } from "./availability.ts";
import { findToolsDirectory, toolsDirectoryCandidates } from "./find_tools.ts";
import type { Catalog } from "../model/leaf.ts";
import { LiveCatalog } from "./live_catalog.ts";
import { LARGEST_FILE_BYTES } from "./read_directory.ts";

interface Fixture extends AsyncDisposable {
  readonly directory: string;
  readonly base: string;
  readonly live: LiveCatalog;
  /** Names of the tools of each catalog that was announced. */
  readonly announced: string[][];
  /** How often the files were read. */
  reads(): number;
  write(name: string, ...tools: readonly string[]): Promise<void>;
  /** Resolves when the files were read so often; rejects after two minutes. */
  untilReads(count: number): Promise<void>;
  /** Resolves when the tools are these; rejects after two minutes. */
  until(...names: readonly string[]): Promise<Catalog>;
}

/** One synchronous leaf per tool name. */
function toolFile(name: string, command = "echo"): string {
  return JSON.stringify({ name, command, synchronous: true, description: "Says it" });
}

function namesOf(catalog: Catalog): string[] {
  return catalog.leaves.map(({ name }) => name);
}

/** Writes a file at one go: it is not to be read half written. */
async function put(path: string, text: string): Promise<void> {
  const draft = await Deno.makeTempFile();
  await Deno.writeTextFile(draft, text);
  await Deno.rename(draft, path);
}

async function fixture(
  { ask = () => Promise.resolve(success(undefined)), recall, explicit = true, watched = true }: {
    ask?: AskProbe;
    /** Default: what `ask` says of programs. */
    recall?: RecallProbes;
    explicit?: boolean;
    /** False: `--no-hot-reload`. */
    watched?: boolean;
  } = {},
): Promise<Fixture> {
  const base = await Deno.realPath(await Deno.makeTempDir());
  const directory = `${base}/.ahma/tools`;
  if (explicit) await Deno.mkdir(directory, { recursive: true });
  const given = explicit ? directory : undefined;
  let reads = 0;
  const waiting = new Set<() => void>();
  const live = new LiveCatalog({
    findDirectory() {
      reads++;
      for (const check of waiting) check();
      return findToolsDirectory(given, base);
    },
    watched: watched ? toolsDirectoryCandidates(given, base) : [],
    bundled: [],
    ask,
    recall: recall ?? ((probes) =>
      Promise.all(probes.map(async (probe) => {
        return probe.kind === "program" ? await ask(probe, new AbortController().signal) : undefined;
      }))),
    log: SILENT,
  });
  const announced: string[][] = [];
  live.subscribe((catalog) => announced.push(namesOf(catalog)));
  return {
    base,
    directory,
    live,
    announced,
    reads: () => reads,
    async untilReads(count) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const check = () => reads >= count && resolve();
      const deadline = setTimeout(() => reject(new Error(`Read ${reads} times, not ${count}`)), 120_000);
      waiting.add(check);
      check();
      await promise.finally(() => clearTimeout(deadline));
    },
    write: (name, ...tools) => put(`${directory}/${name}`, tools.map((tool) => toolFile(tool)).join("")),
    async until(...names) {
      const { promise, resolve, reject } = Promise.withResolvers<Catalog>();
      const look = (catalog: Catalog) => {
        if (JSON.stringify(namesOf(catalog)) === JSON.stringify(names)) resolve(catalog);
      };
      const stop = live.subscribe(look);
      const deadline = setTimeout(
        () => reject(new Error(`Not seen: ${names}; announced: ${JSON.stringify(announced)}`)),
        120_000,
      );
      look(await live.current());
      try {
        return await promise;
      } finally {
        stop();
        clearTimeout(deadline);
      }
    },
    async [Symbol.asyncDispose]() {
      await live[Symbol.asyncDispose]();
      await Deno.remove(base, { recursive: true });
    },
  };
}

Deno.test("T12 LiveCatalog announces a file that is added, changed, renamed and deleted, once each", async () => {
  await using f = await fixture();
  await f.write("a.json", "a");
  assert.deepStrictEqual(namesOf(await f.live.current()), ["a"]);
  await f.write("b.json", "b");
  await f.until("a", "b");
  await f.write("b.json", "c");
  await f.until("a", "c");
  await f.write(".b.json.new", "d");
  await Deno.rename(`${f.directory}/.b.json.new`, `${f.directory}/b.json`);
  await f.until("a", "d");
  await Deno.remove(`${f.directory}/b.json`);
  await f.until("a");
  assert.deepStrictEqual(f.announced, [["a", "b"], ["a", "c"], ["a", "d"], ["a"]]);
});

Deno.test("T12 LiveCatalog keeps the last good version of a file that became bad, and says so", async () => {
  await using f = await fixture();
  await f.write("a.json", "a");
  await f.write("b.json", "b");
  await f.live.current();
  await Deno.writeTextFile(`${f.directory}/b.json`, '{"name": "b", "comm');
  await f.write("c.json", "c");
  const catalog = await f.until("a", "b", "c");
  assert.deepStrictEqual(
    catalog.diagnostics.map(({ severity, message }) => [severity, message.includes("last good version stays")]),
    [
      ["error", true],
    ],
  );
  await f.write("b.json", "b2");
  assert.deepStrictEqual((await f.until("a", "b2", "c")).diagnostics, []);
});

Deno.test("T12 LiveCatalog keeps the last good version of a file that came to clash with another", async () => {
  await using f = await fixture();
  await f.write("a.json", "a");
  await f.write("b.json", "b");
  await f.live.current();
  await f.write("b.json", "a");
  await f.write("c.json", "c");
  const catalog = await f.until("a", "b", "c");
  assert.match(catalog.diagnostics[0]?.message ?? "", /^Tool name "a" is taken by .*last good version stays/);
});

Deno.test("T12 LiveCatalog reads files with permanent faults once, and those that may be just being written again", async () => {
  await using permanent = await fixture();
  await Deno.symlink("/etc/hostname", `${permanent.directory}/outside.json`);
  await Deno.writeFile(`${permanent.directory}/latin.json`, new Uint8Array([0x22, 0xe9, 0x22]));
  await Deno.writeTextFile(`${permanent.directory}/large.json`, " ".repeat(LARGEST_FILE_BYTES + 1));
  await Deno.writeTextFile(`${permanent.directory}/bad.json`, "{");
  await using transient = await fixture();
  await Deno.symlink("missing", `${transient.directory}/dangling.json`);
  const found = (await permanent.live.checked()).diagnostics; // its retry would be due before the others
  await transient.live.checked();
  const before = permanent.reads();
  await transient.untilReads(4);
  assert.deepStrictEqual(
    [found.map(({ file, unreadable }) => [file.slice(permanent.directory.length + 1), unreadable]), permanent.reads()],
    [
      [["bad.json", undefined], ["large.json", "permanent"], ["latin.json", "permanent"], [
        "outside.json",
        "permanent",
      ]],
      before,
    ],
  );
});

Deno.test("T12 LiveCatalog without a watch keeps the tools as they were read first, whatever its checks find", async () => {
  await using f = await fixture({ watched: false });
  await f.write("one.json", "one");
  assert.deepStrictEqual(namesOf(await f.live.current()), ["one"]);
  const reads = f.reads();
  await f.write("two.json", "two");
  assert.deepStrictEqual([namesOf(await f.live.checked()), f.announced, f.reads()], [["one"], [], reads]);
});

Deno.test("C3 LiveCatalog is final without a watch once its checks have ended, and never with one", async () => {
  const states = await Promise.all([false, true].map(async (watched) => {
    await using f = await fixture({ watched });
    await f.write("one.json", "one");
    const first = f.live.isFinal;
    await f.live.current();
    const read = f.live.isFinal;
    await f.live.checked();
    return [first, read, f.live.isFinal];
  }));
  assert.deepStrictEqual(states, [[false, false, true], [false, false, false]]);
});

Deno.test("T12 LiveCatalog finds a directory that is made later, and loses one that is removed", async () => {
  await using f = await fixture({ explicit: false });
  assert.deepStrictEqual(namesOf(await f.live.current()), []);
  await Deno.mkdir(`${f.base}/new`, { recursive: true });
  await Deno.writeTextFile(`${f.base}/new/a.json`, toolFile("a"));
  await Deno.mkdir(`${f.base}/.ahma`);
  await Deno.rename(`${f.base}/new`, `${f.base}/.ahma/tools`);
  await f.until("a");
  await Deno.remove(`${f.base}/.ahma`, { recursive: true });
  await f.until();
  await Deno.mkdir(f.directory, { recursive: true });
  await f.write("b.json", "b");
  await f.until("b");
});

Deno.test("T12 LiveCatalog announces nothing when nothing a client can see has changed", async () => {
  await using f = await fixture();
  await f.write("a.json", "a");
  await f.live.current();
  await Deno.writeTextFile(`${f.directory}/a.json`, `\n${toolFile("a")}\n`);
  await Deno.writeTextFile(`${f.directory}/notes.txt`, "text");
  await f.write("b.json", "b");
  await f.until("a", "b");
  assert.deepStrictEqual(f.announced, [["a", "b"]]);
});

Deno.test("T11 LiveCatalog leaves out what is not there, with the reason, and asks again at the next look", async () => {
  const missing = new Set(["nope"]);
  const asked: string[] = [];
  const ask: AskProbe = (probe) => {
    const program = probe.kind === "program" ? probe.program : probe.argv[0] ?? "";
    asked.push(program);
    return Promise.resolve(missing.has(program) ? failure(`"${program}" is not there`) : success(undefined));
  };
  await using f = await fixture({ ask });
  await f.write("a.json", "a");
  await Deno.writeTextFile(`${f.directory}/n.json`, toolFile("n", "nope"));
  const catalog = await f.live.current();
  assert.deepStrictEqual([namesOf(catalog), catalog.unavailable], [["a"], [
    { names: ["n"], reason: '"nope" is not there', installInstructions: "" },
  ]]);
  await f.live.checked();
  missing.clear();
  await f.write("b.json", "b");
  await f.until("a", "b", "n");
  assert.deepStrictEqual(asked, ["echo", "nope", "nope", "nope"]); // for the first list, then twice where it was missing
});

Deno.test("T11 LiveCatalog waits for no check with its first list, and announces once what checks have found", async () => {
  const slow = Promise.withResolvers<void>();
  const asked: string[] = [];
  const ask: AskProbe = async (probe) => {
    if (probe.kind === "program") return success(undefined);
    asked.push(probe.argv.join(" "));
    await slow.promise;
    return probe.argv.includes("there") ? success(undefined) : failure("it is not there");
  };
  const known: Record<string, Outcome<void>> = {
    "look known": success(undefined),
    "look missing": failure("it was not there"),
    "look there": failure("it was not there"),
  };
  const recall: RecallProbes = (probes) =>
    Promise.resolve(probes.map((probe) => probe.kind === "command" ? known[probe.argv.join(" ")] : success(undefined)));
  await using f = await fixture({ ask, recall });
  for (const name of ["known", "missing", "new", "there"]) {
    await Deno.writeTextFile(`${f.directory}/${name}.json`, checkedTool(name, name));
  }
  const first = await f.live.current();
  assert.deepStrictEqual([namesOf(first), first.unavailable], [["known", "new"], [
    { names: ["missing"], reason: "it was not there", installInstructions: "" },
    { names: ["there"], reason: "it was not there", installInstructions: "" },
  ]]);
  slow.resolve();
  const checked = await f.live.checked();
  assert.deepStrictEqual([namesOf(checked), checked.unavailable], [["known", "there"], [
    { names: ["missing"], reason: "it is not there", installInstructions: "" },
    { names: ["new"], reason: "it is not there", installInstructions: "" },
  ]]);
  assert.deepStrictEqual([asked.toSorted(), f.announced], [["look missing", "look new", "look there"], [[
    "known",
    "there",
  ]]]);
});

Deno.test("T12 LiveCatalog keeps a change that comes while the first tools are still asked about", async () => {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  await using f = await fixture({
    ask: async (probe) => {
      if (probe.kind === "program") return success(undefined);
      asked.resolve();
      await answered.promise;
      return success(undefined);
    },
  });
  await Deno.writeTextFile(`${f.directory}/a.json`, checkedTool("a", "a"));
  assert.deepStrictEqual(namesOf(await f.live.current()), ["a"]);
  await asked.promise;
  await f.write("b.json", "b");
  answered.resolve();
  await f.until("a", "b");
  await f.live[Symbol.asyncDispose](); // when everything that was under way is done
  assert.deepStrictEqual(f.announced, [["a", "b"]]);
});

/** A tool whose check is a command with this argument. */
function checkedTool(name: string, argument: string): string {
  const check = { command: "look", args: [argument] };
  return JSON.stringify({
    name,
    command: "echo",
    synchronous: true,
    description: "Says it",
    availability_check: check,
  });
}

Deno.test("T11 LiveCatalog runs no check that another one wrote while it ran, and runs it after the next change", async () => {
  const asked: string[] = [];
  const written: Promise<void>[] = [];
  let file = "";
  const ask: AskProbe = async (probe) => {
    if (probe.kind !== "command") return success(undefined);
    asked.push(probe.argv.join(" "));
    const next = put(file, checkedTool("fed", `${asked.length}`));
    written.push(next);
    await next;
    return success(undefined);
  };
  await using f = await fixture({ ask });
  file = `${f.directory}/fed.json`;
  await f.write("a.json", "a");
  await f.live.current();
  await put(file, checkedTool("fed", "0"));
  await f.until("a", "fed");
  assert.deepStrictEqual(asked, ["look 0"]);
  await f.write("b.json", "b");
  await f.until("a", "b", "fed");
  await f.write("c.json", "c");
  await f.until("a", "b", "c", "fed");
  await f.live[Symbol.asyncDispose](); // when everything that was under way is done
  assert.deepStrictEqual(asked, ["look 0", "look 1", "look 2"]);
});

Deno.test("T11 LiveCatalog offers changed tools whose checks must wait for their turn, and runs no more of them", async () => {
  using _clock = stoppedClock(); // the turn never comes
  const asked: string[] = [];
  const begun = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const ask: AskProbe = (probe) => {
    if (probe.kind !== "command") return Promise.resolve(success(undefined));
    begun[asked.length]?.resolve();
    asked.push(probe.argv.join(" "));
    return Promise.resolve(failure("it is not there"));
  };
  await using f = await fixture({ ask });
  await f.live.checked();
  for (const [round, { promise }] of begun.entries()) {
    await put(`${f.directory}/x.json`, checkedTool("x", `${round}`));
    await promise;
    await f.live.checked(); // what changes while checks run is none of theirs
  }
  await put(`${f.directory}/x.json`, checkedTool("x", "late"));
  await f.until("x");
  await f.live[Symbol.asyncDispose]();
  assert.deepStrictEqual(asked, ["look 0", "look 1", "look 2"]);
});

Deno.test("T11 LiveCatalog tells of checks while they run, and ends one that it is told to", async () => {
  const begun = Promise.withResolvers<void>();
  const ask: AskProbe = (_probe, signal) => {
    begun.resolve();
    const { promise, resolve } = Promise.withResolvers<Outcome<void>>();
    signal.addEventListener("abort", () => resolve(failure("it was ended")));
    return promise;
  };
  await using f = await fixture({ ask });
  await Deno.writeTextFile(`${f.directory}/x.json`, checkedTool("x", "1"));
  const first = f.live.current();
  await begun.promise;
  const { checks } = f.live;
  assert.deepStrictEqual(checks.list().map(({ id, argv }) => [id, argv]), [["check_1", ["look", "1"]]]);
  assert.deepStrictEqual([await checks.end("check_2"), await checks.end("check_1")], [false, true]);
  assert.deepStrictEqual([namesOf(await first), namesOf(await f.live.checked()), checks.list()], [["x"], [], []]);
});
