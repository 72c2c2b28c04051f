/** The one version of the runtime and the SHA-256 of each of its files that goes into an executable. */
import pins from "./runtime_pins.json" with { type: "json" };

/** A platform that executables are made for. */
export type Target = keyof typeof pins.targets;

/** Where a runtime comes from, and what it must be. */
export interface RuntimePin {
  readonly version: string;
  /** The package of npm that holds it. */
  readonly package: string;
  /** The platform of its wheel, as pip names it. */
  readonly wheel: string;
  /** Of the runtime's own file, whatever it came in. */
  readonly sha256: string;
}

/** What `deno compile` puts a program into for one target. */
export interface DenortPin {
  readonly version: string;
  /** The target, as deno names it. */
  readonly triple: string;
  /** SHA-256 of the file or archive, any of these; empty: none is known. */
  readonly denort: readonly string[];
}

export const TARGETS: readonly Target[] = Object.keys(pins.targets) as Target[]; // the keys of a constant object are known

/** The text of the file with the pins, in the repository. */
export const PINS_FILE: URL = new URL("./runtime_pins.json", import.meta.url);

/** The target of that name, undefined: there is none. */
export function targetNamed(name: string): Target | undefined {
  return TARGETS.find((target) => target === name);
}

/** The platform that this runs on, undefined: no executable is made for it. */
export function ownTarget({ os, arch }: Pick<typeof Deno.build, "os" | "arch">): Target | undefined {
  const system = os === "darwin" ? "macos" : os;
  return targetNamed(`${system}-${arch === "aarch64" ? "arm64" : "x64"}`);
}

/** The runtime that a program can be embedded in; undefined where only `deno compile` makes an executable. */
export function runtimePin(target: Target): RuntimePin | undefined {
  const pin = pins.targets[target];
  return "sha256" in pin ? { version: pins.version, ...pin } : undefined;
}

/** What `deno compile` needs for a target. */
export function denortPin(target: Target): DenortPin {
  return { version: pins.version, ...pins.targets[target] };
}

/** The text of the pins with one more SHA-256 of a denort. Pure. */
export function withDenort(text: string, target: Target, sum: string): string {
  const all: { targets: Record<string, { denort: string[] }> } = JSON.parse(text);
  const known = all.targets[target];
  if (known === undefined) throw new Error(`Cannot record a sum: "${target}" has no pins`);
  if (!known.denort.includes(sum)) known.denort.push(sum);
  return `${JSON.stringify(all, null, 2)}\n`;
}

/** The SHA-256 of some bytes, as hexadecimal digits. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
