/** The secrets of a session (S33): commands have placeholders, and what sends their requests on has the values. */
import type { Logger } from "../../base/log.ts";
import type { NameList } from "../../base/network/name_list.ts";
import { encodeText } from "../../base/text.ts";
import { withTimeout } from "../../base/time.ts";
import type { Terminator } from "../../relay/terminator.ts";
import { RESOURCE } from "../../sandbox/policy/confinement.ts";
import { trustedCertificates } from "../../sandbox/directories/certificate_files.ts";
import type { SandboxSecrets } from "../../sandbox/policy/sandbox_settings.ts";
import type { HostSecret } from "../../secrets/put_in.ts";
import type { Settings } from "../../settings/settings.ts";
import { LazyLibrary } from "../../system/c_library.ts";
import { secretValues } from "./secret_values.ts";

/** What opens a sandbox with secrets. */
export interface SessionSecrets {
  readonly terminator: Terminator;
  readonly shown: SandboxSecrets;
}

/** Those of commands, and what other sandboxes get of them. */
export interface OpenSecrets extends SessionSecrets {
  /** By name. Not for commands. */
  readonly values: Readonly<Record<string, string>>;
  /** By name: where it goes. */
  readonly hosts: Readonly<Record<string, NameList>>;
  /** Names of the secrets that a text holds. */
  namesIn(text: string): readonly string[];
  /** The text with placeholders for the secrets in it. */
  withPlaceholders(text: string): string;
}

const PREFIX = "ahma_secret_";
const RANDOM_BYTES = 18;
/** A user name that git hosts take with any token. */
const GIT_USER = "x-access-token";
const HTTPS = 443;
const SHUTDOWN_MS = 1000;

/** Reads the values, waits for requests until `stack` is disposed. @throws {UserError} When one cannot be had. */
export async function openSecrets(
  { settings: { secrets }, environment, isReadable, log, stack }: {
    readonly settings: Pick<Settings, "secrets">;
    /** Whether commands can read a path. */
    readonly isReadable: (path: string) => boolean;
    readonly environment: Readonly<Record<string, string>>;
    readonly log: Logger;
    readonly stack: AsyncDisposableStack;
  },
): Promise<OpenSecrets | undefined> {
  if (secrets.bindings.length === 0) return undefined;
  const values = await secretValues(secrets, environment, isReadable);
  leaveNoCore();
  const placeholders = new Map([...values.keys()].map((name) => [name, newPlaceholder()]));
  const byHost = new Map<string, HostSecret[]>();
  const gitHeaders: Record<string, string> = {};
  for (const { name, hosts, use } of secrets.bindings) {
    const [value = "", placeholder = ""] = [values.get(name), placeholders.get(name)];
    for (const { name: host, port } of hosts) {
      const key = `${host}:${port}`;
      const others = byHost.get(key) ?? [];
      const known = others.find((one) => one.name === name);
      const uses = [...known?.uses ?? [], use];
      byHost.set(key, [...others.filter((one) => one !== known), { name, placeholder, value, uses }]);
      if (use.kind === "git") gitHeaders[addressOf(host, port)] = gitHeader(placeholder);
    }
  }
  const { SecretGateway } = await import("../../secrets/gateway.ts");
  const gateway = await SecretGateway.open({ secrets: byHost, authorities: trustedCertificates(environment), log });
  stack.defer(async () => {
    await withTimeout(gateway[Symbol.asyncDispose](), SHUTDOWN_MS);
  });
  const hosts = Object.groupBy(secrets.bindings, ({ name }) => name);
  return {
    terminator: gateway,
    shown: { variables: Object.fromEntries(placeholders), authority: gateway.authority, gitHeaders },
    values: Object.fromEntries(values),
    hosts: Object.fromEntries(Object.entries(hosts).map(([name, all = []]) => [name, all.flatMap((one) => one.hosts)])),
    namesIn: (text) => [...values].filter(([, value]) => text.includes(value)).map(([name]) => name),
    withPlaceholders: (text) =>
      [...values].sort(([, one], [, other]) => other.length - one.length).reduce(
        (before, [name, value]) => before.replaceAll(value, placeholders.get(name) ?? ""),
        text,
      ),
  };
}

function newPlaceholder(): string {
  return `${PREFIX}${crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)).toHex()}`;
}

function addressOf(host: string, port: number): string {
  return `https://${host}${port === HTTPS ? "" : `:${port}`}/`;
}

function gitHeader(placeholder: string): string {
  return `Authorization: Basic ${encodeText(`${GIT_USER}:${placeholder}`).toBase64()}`;
}

/** A crash leaves no file with this memory. PR_SET_DUMPABLE would also keep launchers from descriptors. */
function leaveNoCore(): void {
  if (Deno.build.os !== "linux") return;
  const library = new LazyLibrary(["setrlimit"]);
  try {
    library.symbols.setrlimit(RESOURCE.core, new BigUint64Array(2));
  } finally {
    library[Symbol.dispose]();
  }
}
