/** `version`; with `--check` it asks a registry of npm packages for the newest one, which says nothing of the user (L9). */
import { startOf } from "../../../base/bytes.ts";
import { fetchFailure, UserError } from "../../../base/errors.ts";
import { failure, type Outcome, success } from "../../../base/outcome.ts";
import { shownValue, withoutTrailing } from "../../../base/text.ts";
import { askProgram } from "../../../process/spawn.ts";
import { expected } from "../../../system/paths.ts";
import { isExecutableFile, programPaths, searchPath } from "../../../system/search_path.ts";
import { VERSION } from "../../../base/version.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { print } from "../../terminal/print.ts";

type Environment = Readonly<Record<string, string>>;

/** How long an answer may take, in milliseconds. */
const PATIENCE_MS = 10_000;
/** Longest answer that is read, in bytes; ours has a few kilobytes. */
const LONGEST = 1_048_576;

/** The registry in npm's variable, otherwise npm's own. @throws {UserError} when neither names one */
export async function newestVersionUrl(environment: Environment, stop: AbortSignal): Promise<string> {
  const named = environment["npm_config_registry"] ?? environment["NPM_CONFIG_REGISTRY"] ?? "";
  const registry = named === "" ? await registryOfNpm(environment, stop) : named;
  return `${withoutTrailing(registry, "/")}/ahma_mcp/latest`;
}

async function registryOfNpm(environment: Environment, signal: AbortSignal): Promise<string> {
  const program = programPaths("npm", searchPath(environment["PATH"]), "/").find(isProgram);
  // Seen from the root: a project's own configuration of npm must not decide who is asked.
  const asked = program === undefined ? undefined : await askProgram({
    program,
    args: ["config", "get", "registry"],
    environment,
    directory: "/",
    longestMs: PATIENCE_MS,
    mostBytes: LONGEST,
    signal,
  });
  const said = asked?.kind === "answered" ? asked.text.trim() : "";
  if (/^https?:\/\/\S+$/.test(said)) return said;
  throw new UserError(
    `Cannot tell which registry to ask: npm ${program === undefined ? "is not on the PATH" : "does not say"}. ` +
      "Set npm_config_registry to the address of one",
  );
}

function isProgram(path: string): boolean {
  const facts = expected(() => Deno.statSync(path));
  return facts !== undefined && isExecutableFile(facts);
}

/** The newest version. @throws {UserError} when the registry cannot be asked, or does not say */
export async function newestVersion(url: string): Promise<string> {
  const asked = await ask(url).catch((thrown: unknown) => failure(reasonOf(thrown)));
  if (asked.ok) return asked.value;
  throw new UserError(`Cannot ask "${url}" for the newest version: ${asked.problem}. Nothing else depends on it`);
}

async function ask(url: string): Promise<Outcome<string>> {
  const answer = await fetch(url, {
    headers: { accept: "application/json" },
    redirect: "error",
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const { bytes, isWhole } = await startOf(answer.body ?? [], LONGEST);
  if (!answer.ok) return failure(`it answered with status ${answer.status}`);
  if (!isWhole) return failure(`its answer has more than ${LONGEST} bytes`);
  const facts: unknown = JSON.parse(new TextDecoder().decode(bytes));
  const version = typeof facts === "object" && facts !== null && "version" in facts ? facts.version : undefined;
  if (typeof version === "string" && isVersion(version)) return success(version);
  return failure(`its answer names the version ${shownValue(version)}`);
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof Deno.errors.NotCapable) {
    return "this runtime was started without network permission (--allow-net)";
  }
  if (thrown instanceof DOMException && thrown.name === "TimeoutError") return `no answer in ${PATIENCE_MS / 1000} s`;
  if (thrown instanceof SyntaxError) return "its answer is not JSON";
  return fetchFailure(thrown);
}

const FORM = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]{1,64}))?$/;

/** Whether a text is the version of a package, and no range or name. */
export function isVersion(text: string): boolean {
  return FORM.test(text);
}

/** Whether `one` is newer than `other`; of two marked ones of the same numbers, neither is. */
export function isNewer(one: string, other: string): boolean {
  const [, ...first] = FORM.exec(one) ?? [];
  const [, ...second] = FORM.exec(other) ?? [];
  for (let place = 0; place < 3; place++) {
    const difference = Number(first[place]) - Number(second[place]);
    if (difference !== 0) return difference > 0;
  }
  return first[3] === undefined && second[3] !== undefined;
}

/** Prints it; resolves with the exit code. @throws {UserError} when the newest version cannot be had */
export async function version({ flags, environment, stop }: CommandContext): Promise<number> {
  const newest = flags.has("check") ? await newestVersion(await newestVersionUrl(environment, stop)) : undefined;
  await print(newest === undefined ? `ahma_mcp ${VERSION}\n` : compared(newest));
  return 0;
}

function compared(newest: string): string {
  if (!isNewer(newest, VERSION)) return `ahma_mcp ${VERSION} is the newest version\n`;
  return `ahma_mcp ${newest} is out, and this is ${VERSION}. Get it the way you got this one, such as ` +
    `npm install -g ahma_mcp@${newest}\n`;
}
