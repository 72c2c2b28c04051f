/** The files of a release that are made from executables, by the names that users see. */
import type { Target } from "../executable/pins.ts";
import type { Project } from "./project.ts";

/** One executable of a release, and the archives that hold it. */
export interface Asset {
  readonly target: Target;
  /** SHA-256 of the `.tar.gz`, as hexadecimal digits. */
  readonly archiveSum: string;
  /** SHA-256 of the `.mcpb`. */
  readonly bundleSum: string;
}

/** How systems and processors are called elsewhere. */
export interface Platform {
  /** As Node says: `linux`, `darwin`, `win32`. */
  readonly system: "linux" | "darwin" | "win32";
  readonly processor: "x64" | "arm64";
}

/** The platform of a target. */
export function platformOf(target: Target): Platform {
  const [name, processor] = target.split("-");
  const system = name === "macos" ? "darwin" : name === "windows" ? "win32" : "linux";
  return { system, processor: processor === "arm64" ? "arm64" : "x64" };
}

/** The name of the executable itself. */
export function programName({ name }: Project, target: Target): string {
  return target.startsWith("windows") ? `${name}.exe` : name;
}

/** The archive for people and for package managers. */
export function archiveName({ name, version }: Project, target: Target): string {
  return `${name}-${version}-${target}.tar.gz`;
}

/** The archive for MCP clients that install bundles. */
export function mcpbName({ name, version }: Project, target: Target): string {
  return `${name}-${version}-${target}.mcpb`;
}

/** The packed program alone, for machines that have the runtime. */
export function packedName({ name, version }: Project): string {
  return `${name}-${version}-without-runtime.tar.gz`;
}

/** The files of package managers that build from the archives. */
export function packagingName({ name, version }: Project): string {
  return `${name}-${version}-packaging.tar.gz`;
}
