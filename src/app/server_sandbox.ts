/** The sandbox of one stdio server: that of commands, with its own policy, home and variables (O6, S3). */
import type { ProtectedChange } from "../base/command/protected_change.ts";
import { UserError } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { type NameList, withHosts } from "../base/network/name_list.ts";
import type { StartChildServer } from "../child_server/child_server.ts";
import { startInSandbox } from "../child_server/sandboxed_start.ts";
import { WatchedRunner } from "../child_server/watched_runner.ts";
import type { Settings } from "../settings/settings.ts";
import { absolutePath, isWithin, realPath } from "../system/paths.ts";
import { userDirectory } from "../system/user_directories.ts";
import type { ServerNetwork, StdioSpec } from "../upstream/config/server_spec.ts";
import type { Explain } from "./servers/explained_link.ts";
import { openSession, type SessionOptions } from "./open_sandbox.ts";
import type { OpenSecrets, SessionSecrets } from "./secrets/open_secrets.ts";

export interface ServerSandboxOptions extends SessionOptions {
  /** Of commands: a server has those that its entry names; absent: there are none. */
  readonly secrets?: OpenSecrets | undefined;
  readonly spec: StdioSpec;
  /** Names its home. */
  readonly id: string;
  /** Canonical. */
  readonly scopes: readonly string[];
  /** Ids of the servers that started this program, and of this one. */
  readonly chain: readonly string[];
  readonly log: Logger;
}

/** An open sandbox; disposal ends its processes and removes its temporary files. */
export interface ServerSandbox extends AsyncDisposable {
  readonly start: StartChildServer;
  readonly explain: Explain;
  /** What it changed of protected paths since the last time. */
  readonly changes: () => Promise<readonly ProtectedChange[]>;
}

/** Without the network npx and uvx use earlier downloads, and report missing ones at once. */
const OFFLINE = { npm_config_offline: "true", UV_OFFLINE: "1" };

const THIRD_PARTY = { isOwn: false };
/** The word of `write` that stands for the scopes. */
const SCOPE = "scope";

/** @throws {UserError} When a path of the policy does not exist, or the sandbox is unavailable. */
export async function openServerSandbox(options: ServerSandboxOptions): Promise<ServerSandbox> {
  const { spec, scopes, settings, chain, log } = options;
  const home = await serverHome(options);
  await using stack = new AsyncDisposableStack();
  const directory = directoryOf(spec, spec.readScope ? scopes[0] ?? home : home);
  const secrets = secretsOf(options);
  const own = settingsFor(spec, { settings, scopes, home, directory, bound: secrets?.bound ?? [] });
  const session = await openSession({ ...options, settings: own, secrets }, stack);
  const shown = (text: string) => secrets?.withPlaceholders(text) ?? text;
  const given = Object.fromEntries(Object.entries(spec.environment).map(([name, { text }]) => [name, shown(text)]));
  const opened = stack.move();
  const runner = new WatchedRunner(session.runner, THIRD_PARTY);
  return {
    // Only the server itself uses its home.
    changes: async () => spec.write.length > 0 ? await runner.changes() : [],
    explain: async (words, output, { failed }) => {
      const end = { kind: "exited", code: failed ? 1 : 0 } as const;
      return await session.explain?.({ words, directory, output, end, began: 0, changed: [], refused: [] }) ?? [];
    },
    start: (hooks) =>
      startInSandbox({
        runner,
        argv: [spec.command.text, ...spec.args.map(({ text }) => shown(text))],
        directory,
        environment: {
          ...isOnline(spec, settings) ? {} : OFFLINE,
          ...given,
          AHMA_SERVER_CHAIN: chain.join(","),
        },
        stderrFile: `${session.sandbox.directories.files}/stderr`,
        log,
      }, hooks),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

interface Surroundings {
  readonly settings: Settings;
  readonly scopes: readonly string[];
  readonly home: string;
  /** Where it starts. */
  readonly directory: string;
  /** Hosts of its secrets. */
  readonly bound: NameList;
}

/** The secrets that the entry holds, as its sandbox has them; undefined: none. @throws {UserError} Where it could read them. */
function secretsOf(
  { spec, settings, secrets }: ServerSandboxOptions,
): SessionSecrets & Pick<OpenSecrets, "withPlaceholders"> & { readonly bound: NameList } | undefined {
  const texts = [...spec.args, ...Object.values(spec.environment)].map(({ text }) => text);
  const names = [...new Set(texts.flatMap((text) => secrets?.namesIn(text) ?? []))];
  const [first] = names;
  if (secrets === undefined || first === undefined) return undefined;
  const { network } = networkOf(spec, settings);
  if (network !== "names") {
    throw new UserError(
      `Cannot keep secret "${first}" from server "${spec.name}" with network ${network}: ` +
        'list the hosts it needs in its entry, as in "network": ["packages"]',
    );
  }
  return {
    terminator: secrets.terminator,
    shown: { ...secrets.shown, variables: {}, gitHeaders: {} },
    withPlaceholders: (text) => secrets.withPlaceholders(text),
    bound: names.flatMap((name) => secrets.hosts[name] ?? []),
  };
}

/** The rights of a server: its own home and the paths in its entry, never settings of a project. */
function settingsFor(spec: StdioSpec, { settings, scopes, home, directory, bound }: Surroundings): Settings {
  const { sandbox } = settings;
  const writes = spec.write.flatMap((path) => path === SCOPE ? scopes : [path]);
  // A scope that holds the homes of all servers would open them to each other.
  const readable = spec.readScope ? scopes.filter((scope) => !isWithin(home, scope)) : [];
  return {
    ...settings,
    pool: false,
    hotReload: false,
    toolsDirectory: undefined,
    sandbox: {
      ...sandbox,
      scopes: [home],
      pinned: [],
      serverHome: home,
      reads: [...sandbox.reads, ...readable, ...spec.read],
      writes,
      seen: [directory],
      protect: [],
      allowProtected: [],
      allowSensitive: [],
      gpus: [],
      environmentNames: [],
      privateHome: false,
      temporaryFiles: true,
      confinement: {
        ...sandbox.confinement,
        ...withBound(networkOf(spec, settings), bound),
        unixSockets: spec.unixSockets ?? sandbox.confinement.unixSockets,
      },
    },
  };
}

/** Whether the server reaches any other machine. */
export function isOnline(spec: StdioSpec, settings: Pick<Settings, "sandbox">): boolean {
  return ["full", "names"].includes(networkOf(spec, settings).network);
}

/** The network that the server has. */
function networkOf({ network }: StdioSpec, { sandbox }: Pick<Settings, "sandbox">): ServerNetwork {
  return network ?? { network: sandbox.confinement.network, names: sandbox.confinement.names };
}

function withBound({ network, names }: ServerNetwork, bound: NameList): ServerNetwork {
  return { network, names: network === "names" ? withHosts(names, bound) : names };
}

/** Made where it is missing, and kept between starts. */
async function serverHome({ environment, id, spec }: ServerSandboxOptions): Promise<string> {
  const data = userDirectory(environment, "XDG_DATA_HOME");
  if (data === undefined) throw new UserError("Cannot create a home for the server: HOME is not set");
  const path = `${data}/ahma/servers/${id}`;
  await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  const real = realPath(path);
  if (real === undefined) throw new UserError(`Cannot use "${path}" as the home of server "${spec.name}"`);
  return real;
}

function directoryOf({ directory }: StdioSpec, fallback: string): string {
  if (directory === undefined) return fallback;
  const real = realPath(absolutePath(directory, Deno.cwd()));
  if (real === undefined) throw new UserError(`Cannot start in "cwd" "${directory}": it does not exist`);
  return real;
}
