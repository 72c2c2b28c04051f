/** Harmless parts of package managers' configuration, whose tokens stay closed (S25). Pure. */
import { words } from "../../base/text.ts";
import { searchPath } from "../../system/search_path.ts";

/** A file of the user's, and how programs are led to the copy. */
export interface UserConfiguration {
  /** Below home; the first that exists counts. */
  readonly places: readonly string[];
  /** Of the copy. */
  readonly name: string;
  /** The variable that names it, and its value. */
  readonly variable: string;
  valueFor(copy: string): string;
  /** The harmless part; an empty text stays an empty file, so that programs look for no other. */
  clean(text: string): string;
}

const NPM_KEYS: readonly string[] = words(
  "audit ca cafile engine-strict fetch-retries fetch-timeout fund https-proxy legacy-peer-deps nodedir noproxy proxy " +
    "registry save-exact strict-peer-dependencies strict-ssl auto-install-peers node-linker shamefully-hoist",
);
const PIP_KEYS: readonly string[] = words(
  "cert default-timeout extra-index-url find-links index-url no-index prefer-binary proxy retries timeout trusted-host",
);
const GO_KEYS: readonly string[] = words(
  "GOFLAGS GOINSECURE GONOPROXY GONOSUMDB GOPRIVATE GOPROXY GOSUMDB GOTOOLCHAIN GOVCS CGO_ENABLED CGO_CFLAGS " +
    "CGO_LDFLAGS CC CXX",
);

/** By the element of a list: its required members, and others that are kept. */
const MAVEN_ELEMENTS = {
  mirror: { list: "mirrors", needed: "url", others: words("id name mirrorOf layout mirrorOfLayouts blocked") },
  proxy: { list: "proxies", needed: "host", others: words("id active protocol port nonProxyHosts") },
} as const;

/**
 * npm looks for the machine's configuration (certificates, mirrors) below its prefix, and commands have another prefix.
 * Gives the variable that names the file; empty: no `node` is on `path`, or the machine has no such file.
 */
export function machineConfiguration(
  path: string | undefined,
  realPath: (path: string) => string | undefined,
): Readonly<Record<string, string>> {
  const node = searchPath(path).map((directory) => realPath(`${directory}/node`)).find((found) => found !== undefined);
  const file = node?.endsWith("/bin/node") === true ? realPath(node.replace(/bin\/node$/, "etc/npmrc")) : undefined;
  return file === undefined ? {} : { npm_config_globalconfig: file };
}

export const USER_CONFIGURATIONS: readonly UserConfiguration[] = [
  {
    places: [".npmrc"],
    name: "npmrc",
    variable: "npm_config_userconfig",
    valueFor: (copy) => copy,
    clean: (text) => keptLines(text, (key) => NPM_KEYS.includes(key) || /^@[\w.-]+:registry$/.test(key)),
  },
  {
    places: [".config/pip/pip.conf", ".pip/pip.conf"],
    name: "pip.conf",
    variable: "PIP_CONFIG_FILE",
    valueFor: (copy) => copy,
    clean: (text) => keptLines(text, (key) => PIP_KEYS.includes(key)),
  },
  {
    places: [".config/go/env"],
    name: "goenv",
    variable: "GOENV",
    valueFor: (copy) => copy,
    clean: (text) => keptLines(text, (key) => GO_KEYS.includes(key)),
  },
  {
    places: [".m2/settings.xml"],
    name: "maven-settings.xml",
    variable: "MAVEN_ARGS",
    valueFor: (copy) => `-s ${copy}`,
    clean: mavenSettings,
  },
];

/** The sources of the copies in `files`, by their paths; for a missing one, its usual place. */
export function copiedConfigurations(files: string, home: string | undefined): ReadonlyMap<string, string> {
  if (home === undefined) return new Map();
  const all = [...USER_CONFIGURATIONS, { name: "gitconfig", places: [".gitconfig"] }];
  return new Map(all.map(({ name, places }) => [`${files}/${name}`, `${home}/${places[0]}`]));
}

/** Lines `key = value` that are kept, and the headers of sections; multi-line values are dropped. */
function keptLines(text: string, isKept: (key: string) => boolean): string {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => {
    if (/^\[[\w-]+\]\s*$/.test(line)) return true;
    const end = line.indexOf("=");
    return end > 0 && !/^\s/.test(line) && isKept(line.slice(0, end).trim()) && !isSecret(line.slice(end + 1));
  });
  return lines.map((line) => `${line}\n`).join("");
}

/** Mirrors and proxies, built from the elements that hold no secret. */
function mavenSettings(text: string): string {
  const plain = text.split("<!--").map((part, at) => at === 0 ? part : part.split("-->")[1] ?? "").join("");
  const lists = Object.entries(MAVEN_ELEMENTS).map(([name, { list, needed, others }]) => {
    const found = elementsOf(plain, name).flatMap((element) => {
      const kept = [needed, ...others].flatMap((key) => {
        const [value] = elementsOf(element, key);
        return value === undefined || /[<>]/.test(value) || isSecret(value) ? [] : [`<${key}>${value}</${key}>`];
      });
      return kept[0]?.startsWith(`<${needed}>`) ? [`<${name}>${kept.join("")}</${name}>\n`] : [];
    });
    return found.length === 0 ? "" : `<${list}>\n${found.join("")}</${list}>\n`;
  });
  return `<settings>\n${lists.join("")}</settings>\n`;
}

/** The contents of the elements of that name; an unclosed one has none. */
function elementsOf(text: string, name: string): readonly string[] {
  return text.split(`<${name}>`).slice(1).flatMap((part) => part.split(`</${name}>`).slice(0, -1).slice(0, 1));
}

/** Detects what is, or could be, a secret in the value of a setting (S25). Pure. */

/** A user name or password, a query, a word for a secret, or a variable whose value is not known here. */
const SECRET = /[@?]|\$\{|token|secret|passw|passphrase|credential|_auth|api[-_]?key/i;
/** A random-looking part of an address: registries accept tokens there. */
const TOKEN = /^(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16,}$/;

/** Whether the value holds a secret, or what looks like one. */
export function isSecret(value: string): boolean {
  return SECRET.test(value) || value.includes("://") && value.split(/[^A-Za-z0-9]/).some((part) => TOKEN.test(part));
}
