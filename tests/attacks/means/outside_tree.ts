/** The tree outside every scope that an attempt is after, and what it looks like at one moment. */
import { ExtendedAttributes } from "./extended_attributes.ts";

/** Long ago, so that any new time is seen, however coarse the clock of the file system. */
const LONG_AGO = new Date("2001-02-03T04:05:06Z");

/** Makes the tree at `path`; `give` hands each entry to the user. */
export function plantOutside(path: string, marker: string, give: (path: string) => void): void {
  const entries: readonly string[] = [`${path}/directory`, `${path}/empty`];
  Deno.mkdirSync(path);
  for (const directory of entries) Deno.mkdirSync(directory);
  const files: Readonly<Record<string, string>> = {
    "secret": `${marker}\n`,
    "script": `#!/bin/sh\necho ${marker}\n`,
    "directory/inside": "as it was\n",
    [`named-${marker}`]: "",
  };
  for (const [name, text] of Object.entries(files)) Deno.writeTextFileSync(`${path}/${name}`, text);
  Deno.chmodSync(`${path}/script`, 0o755);
  const all = [...Object.keys(files).map((name) => `${path}/${name}`), ...entries, path];
  for (const one of all) give(one);
  for (const one of all) Deno.utimeSync(one, LONG_AGO, LONG_AGO);
}

/** One line for each entry below `path` (itself included); a missing path is one line too. */
export function lookAt(path: string, attributes: ExtendedAttributes): readonly string[] {
  const facts = factsOf(path);
  if (facts === undefined) return [`${path}: absent`];
  const mode = (facts.mode ?? 0).toString(8);
  const kind = facts.isSymlink
    ? `link to ${Deno.readLinkSync(path)}`
    : facts.isFile
    ? `file ${JSON.stringify(textOf(path))}`
    : "";
  const changed = facts.isSymlink ? "" : facts.mtime?.toISOString();
  const line = `${path}: ${mode} ${facts.uid}:${facts.gid} links ${facts.nlink} changed ${changed} ` +
    `attributes ${JSON.stringify(attributes.of(path))} ${kind}`;
  if (!facts.isDirectory) return [line];
  const names = [...Deno.readDirSync(path)].map(({ name }) => name).sort();
  return [line, ...names.flatMap((name) => lookAt(`${path}/${name}`, attributes))];
}

/** Whether `text` is in the name or the bytes of anything below `path`. What cannot be read is passed over. */
export function holds(path: string, text: string): boolean {
  const facts = factsOf(path);
  if (facts === undefined) return false;
  if (facts.isFile) return facts.size < 4_000_000 && textOf(path).includes(text);
  if (facts.isSymlink) return Deno.readLinkSync(path).includes(text);
  if (!facts.isDirectory) return false;
  return [...Deno.readDirSync(path)].some(({ name }) => name.includes(text) || holds(`${path}/${name}`, text));
}

function factsOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function textOf(path: string): string {
  try {
    return new TextDecoder().decode(Deno.readFileSync(path));
  } catch (error) {
    if (error instanceof Deno.errors.PermissionDenied) return "(unreadable)";
    throw error;
  }
}

/** A relative path to an absolute one, from any directory that is not deeper than twelve. */
export function toTheTop(path: string): string {
  return `${"../".repeat(12)}${path.slice(1)}`;
}
