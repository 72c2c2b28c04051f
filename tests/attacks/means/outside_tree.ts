/** The tree outside every scope that an attempt is after, and what it looks like at one moment. */
import { ExtendedAttributes } from "./extended_attributes.ts";

/** Long ago, so that any new time is seen, however coarse the clock of the file system. */
const LONG_AGO = new Date("2001-02-03T04:05:06Z");

/** A tree that was made, and what its secret is. */
export interface OutsideTree {
  readonly path: string;
  readonly marker: string;
}

/** Makes the tree; `give` hands each entry to the user. */
export function plantOutside({ path, marker }: OutsideTree, give: (path: string) => void): void {
  Deno.mkdirSync(path);
  for (const name of ["directory", "empty"]) Deno.mkdirSync(`${path}/${name}`);
  write({ path, marker });
  Deno.writeTextFileSync(`${path}/directory/inside`, "as it was\n");
  Deno.writeTextFileSync(`${path}/named-${marker}`, "");
  Deno.chmodSync(`${path}/script`, 0o755);
  for (const one of entriesOf({ path, marker })) give(one);
  setTimes({ path, marker });
}

/** Makes another tree of one that nothing altered: making files costs most of an attempt. */
export function replantOutside(old: OutsideTree, { path, marker }: OutsideTree): void {
  Deno.renameSync(old.path, path);
  Deno.renameSync(`${path}/named-${old.marker}`, `${path}/named-${marker}`);
  write({ path, marker });
  setTimes({ path, marker });
}

function write({ path, marker }: OutsideTree): void {
  Deno.writeTextFileSync(`${path}/secret`, `${marker}\n`);
  Deno.writeTextFileSync(`${path}/script`, `#!/bin/sh\necho ${marker}\n`);
}

function setTimes(tree: OutsideTree): void {
  for (const one of entriesOf(tree)) Deno.utimeSync(one, LONG_AGO, LONG_AGO);
}

function entriesOf({ path, marker }: OutsideTree): readonly string[] {
  const names = ["secret", "script", "directory/inside", `named-${marker}`, "directory", "empty"];
  return [...names.map((name) => `${path}/${name}`), path];
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
