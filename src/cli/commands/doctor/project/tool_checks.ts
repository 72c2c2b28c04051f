/** Whether the programs of a project start in its sandbox, and in which version: each is run there, without network. */
import type { CommandEnd } from "../../../../base/command/command_end.ts";
import { denialSentence } from "../../../../base/command/denial.ts";
import { shorten } from "../../../../base/visible_text.ts";
import type { SessionRunner } from "../../../../process/command_runner.ts";
import { flagsFor } from "../../../../sandbox/denials/denied_outside.ts";
import { allows } from "../../../../sandbox/denials/policy_query.ts";
import type { SandboxPolicy } from "../../../../sandbox/policy/policy.ts";
import { rootsOf } from "../../../../sandbox/grants/toolchains.ts";
import { isExecutableFile, programPaths, searchPath } from "../../../../system/search_path.ts";
import { expected, parentOf, realPath } from "../../../../system/paths.ts";
import { check } from "../../../terminal/check.ts";
import { lacks, type ProjectCheck, works } from "./project_check.ts";
import type { Need, ToolNeed } from "./project_needs.ts";

/** A Java program may take some seconds to start. */
const LONGEST_MS = 20_000;
const LONGEST_OUTPUT = 400;

/** Words that ask for the version; absent: `--version`. */
const VERSION_WORDS: Readonly<Record<string, string>> = {
  go: "version",
  java: "-version",
  ant: "-version",
  zig: "version",
};
/** The answer is the version that is there, not one that would be fetched. */
const ENVIRONMENT = { GOTOOLCHAIN: "local", COREPACK_ENABLE_DOWNLOAD_PROMPT: "0" };

/** As for an agent, what the sandbox kept from the program is explained. */
const OPERATION = { id: "doctor", tool: "doctor" };

/** What is needed to try programs. */
export interface ToolBench {
  readonly runner: Pick<SessionRunner, "run">;
  /** Undefined: nothing is granted by it. */
  readonly policy: SandboxPolicy | undefined;
  readonly scopes: readonly string[];
  /** Places of credentials. */
  readonly sensitive: readonly string[];
  /** Of commands. */
  readonly environment: Readonly<Record<string, string>>;
  readonly home: string | undefined;
  readonly stop: AbortSignal;
}

/** A row for each program. */
export async function toolChecks(tools: readonly ToolNeed[], bench: ToolBench): Promise<readonly ProjectCheck[]> {
  return await Promise.all(tools.map((tool) => toolCheck(tool, bench)));
}

async function toolCheck(tool: ToolNeed, bench: ToolBench): Promise<ProjectCheck> {
  const { name, file } = tool;
  const argv = [name, VERSION_WORDS[name] ?? "--version"];
  const { end, said, isLate } = await ask({ argv, directory: tool.directory }, bench);
  if (end.kind === "exited" && end.code === 0) {
    return judgeVersion(tool, said === "" ? "starts" : said, bench.environment);
  }
  if (end.kind === "not_started" && end.fault === "server") {
    return { ...check("tool", name, "failed", end.message), flags: [] };
  }
  const flags = closedRoots(tool, bench).map((value) => ({ name: "read", value } as const));
  if (flags.length > 0) return lacks("tool", name, `(${file}) is installed where commands may not read`, ...flags);
  return lacks("tool", name, `(${file}) ${isLate ? `did not answer in ${LONGEST_MS / 1000} s` : describe(end, said)}`);
}

/** Whether the version that is there is the one that a file wants. Pure. */
export function judgeVersion(
  { name, file, wanted }: Omit<ToolNeed, "directory">,
  version: string,
  { GOTOOLCHAIN }: Readonly<Record<string, string>> = {},
): ProjectCheck {
  const [has = ""] = /\d+(?:\.\d+)*/.exec(version) ?? [];
  const found = works("tool", name, `${version} (${file})`);
  if (wanted === undefined || has === "") return found;
  const asked = `${wanted.file} asks for ${shorten(wanted.version, 30)}`;
  if (name === "go" && GOTOOLCHAIN !== "local") {
    const isEnough = new Intl.Collator("en", { numeric: true }).compare(has, wanted.version) >= 0;
    return isEnough ? found : works("tool", name, `${version}; ${asked}, which it fetches`);
  }
  if (`${has}.`.startsWith(`${wanted.version}.`)) return found;
  return lacks("tool", name, `${version}, but ${asked}: put that first on the PATH of the server`);
}

/** A row for each filter: without its programs git keeps files of other content than the project means. */
export async function filterChecks(filters: readonly Need[], bench: ToolBench): Promise<readonly ProjectCheck[]> {
  return await Promise.all(filters.map(async ({ name, file, directory }) => {
    const { end } = await ask({ argv: ["git", "config", "--get", `filter.${name}.clean`], directory }, bench);
    if (end.kind === "exited" && end.code === 0) return works("filter", "git", `filter ${name} (${file}) is known`);
    const why = `filter ${name} (${file}) is not set in the repository, and commands do not read yours`;
    const remedy = name === "lfs" ? "git lfs install --local" : `git config filter.${name}.clean COMMAND`;
    return lacks("filter", "git", `${why}: git keeps files unfiltered. Run "${remedy}" yourself`);
  }));
}

interface Question {
  readonly argv: readonly string[];
  readonly directory: string;
}

/** Runs a program inside; `said` is the first line of what it prints. */
async function ask({ argv, directory }: Question, { runner, stop }: ToolBench) {
  const timeout = AbortSignal.timeout(LONGEST_MS);
  const decoder = new TextDecoder();
  let output = "";
  const end = await runner.run(
    { run: { argv }, directory, environment: ENVIRONMENT, stdin: undefined, offline: true, operation: OPERATION },
    {
      signal: AbortSignal.any([timeout, stop]),
      onOutput: (chunk) => {
        if (output.length < LONGEST_OUTPUT) output += decoder.decode(chunk, { stream: true });
      },
    },
  );
  const line = output.split("\n").find((one) => one.trim() !== "") ?? "";
  return { end, said: shorten(line, 120), isLate: timeout.aborted };
}

function describe(end: CommandEnd, said: string): string {
  if (end.kind === "not_started") return shorten(end.message);
  const how = end.kind === "exited" ? `ends with exit code ${end.code}` : `is ended by ${end.signal}`;
  const why = (end.denials ?? []).map((denial) => ` (${denialSentence(denial).replace(/\.$/, "")})`);
  return `${said === "" ? how : `${how}: ${said}`}${why.join("")}`;
}

/** The trees that a program outside needs and commands may not read; empty: it is not there, or none should be opened. */
function closedRoots({ name, directory }: ToolNeed, bench: ToolBench): readonly string[] {
  const { policy, environment, home } = bench;
  const found = programPaths(name, searchPath(environment["PATH"]), directory).find((path) => {
    const facts = expected(() => Deno.statSync(path));
    return facts !== undefined && isExecutableFile(facts);
  });
  if (policy === undefined || found === undefined) return [];
  const trees = [found, realPath(found) ?? found].flatMap((path) => rootsOf(parentOf(path), home));
  const closed = trees.flatMap((tree) => realPath(tree) ?? []).filter((tree) => !allows(policy, tree, "execute"));
  const mayBeOpened = (path: string) =>
    flagsFor({ path, kind: "directory" }, bench, "closed").includes(`--read ${path}`);
  return [...new Set(closed.filter(mayBeOpened))];
}
