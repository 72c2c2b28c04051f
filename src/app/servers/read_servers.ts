/** The servers of all `--mcp-config` files (O1). Nothing else names servers; no file of a project is searched for. */
import { messageOf, UserError } from "../../base/errors.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { Settings } from "../../settings/settings.ts";
import { absolutePath } from "../../system/paths.ts";
import { homeOf } from "../../system/user_directories.ts";
import { readServersFile } from "../../upstream/config/read_config.ts";
import type { ConfiguredServer, ServerSpec } from "../../upstream/config/server_spec.ts";
import { projectDirectory } from "../../settings/project_directories.ts";
import { closedBy, networkText } from "../../settings/policy/held.ts";
import type { Policy } from "../../settings/policy/policy.ts";
import type { FlagName } from "../../settings/flags/flags.ts";

/** The combined content of the files. */
export interface Servers {
  readonly servers: readonly ConfiguredServer[];
  readonly diagnostics: readonly Diagnostic[];
}

const LARGEST_FILE = 1024 * 1024;

/** @throws {UserError} When a file cannot be read. */
export async function readServers(
  { mcpConfigs, sandbox, policy }: Pick<Settings, "mcpConfigs" | "sandbox" | "policy">,
  environment: Readonly<Record<string, string>>,
): Promise<Servers> {
  const sources = { environment, scope: projectDirectory(sandbox.scopes, Deno.cwd()), home: homeOf(environment) };
  const files = [];
  for (const given of mcpConfigs) files.push(await readServersFile(given, textOf(given), sources));
  const names = new Set<string>();
  const servers = files.flatMap(({ servers }) => servers).map((server): ConfiguredServer => {
    const name = nameOf(server);
    const isFirst = !names.has(name);
    names.add(name);
    const problem = !isFirst
      ? "An earlier file has a server of this name: rename one"
      : server.state === "usable"
      ? entryProblem(policy, server.spec)
      : undefined;
    return problem === undefined ? server : { state: "refused", name, problem };
  });
  return { servers, diagnostics: files.flatMap(({ diagnostics }) => diagnostics) };
}

/** The key of a server in its file. */
export function nameOf(server: ConfiguredServer): string {
  return server.state === "usable" ? server.spec.name : server.name;
}

/** Without `node:fs`, which would delay the answer to initialize. */
function textOf(given: string): string {
  const path = absolutePath(given, Deno.cwd());
  try {
    const { isFile, size } = Deno.statSync(path);
    if (isFile && size <= LARGEST_FILE) return Deno.readTextFileSync(path);
    const why = isFile ? "it is larger than 1 MiB" : "it is not a regular file";
    throw new UserError(`Cannot use "--mcp-config ${given}": ${why}`);
  } catch (thrown) {
    if (thrown instanceof UserError) throw thrown;
    throw new UserError(`Cannot read "--mcp-config ${given}": ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** Why the server may not be used, a sentence; undefined: it may. */
function entryProblem(policy: Policy | undefined, spec: ServerSpec): string | undefined {
  for (const [name, value, what] of openedBy(spec)) {
    const problem = closedBy(policy, name, value);
    if (problem !== undefined) return `Cannot use its ${what}: ${problem}`;
  }
  return undefined;
}

/** The flags that would open the same, with their values, and what the entry calls it. */
function openedBy(spec: ServerSpec): readonly (readonly [FlagName, string, string])[] {
  if (spec.kind === "http") {
    const { hostname, port, protocol } = new URL(spec.url.text);
    const standard = protocol === "http:" ? "80" : "443";
    return [["network", `${hostname}:${port === "" ? standard : port}`, "address"]];
  }
  const { network, unixSockets, read, write } = spec;
  const places = write.filter((path) => path !== "scope");
  return [
    ...network === undefined ? [] : [["network", networkText(network), '"network"'] as const],
    ...unixSockets === undefined ? [] : [["unix-sockets", unixSockets, '"unixSockets"'] as const],
    ...read.map((path) => ["read", path, '"read"'] as const),
    ...places.map((path) => ["write", path, '"write"'] as const),
  ];
}
