/** Turns a folder into a skill, or into diagnostics that say why not (Q6). A skill is served whole or not at all. */
import { type Diagnostic, permanent } from "../../base/diagnostic.ts";
import { attempt } from "../../base/errors.ts";
import { encodeText, shownValue } from "../../base/text.ts";
import { hiddenCharacter, writtenOut } from "../../base/visible_text.ts";
import { realPath } from "../../system/paths.ts";
import { withFileOpener } from "../../system/reading/file_opener.ts";
import { readInside } from "../../system/reading/regular_file.ts";
import { bytesOf } from "../../system/reading/text_files.ts";
import { collectFaults, type ReportFault, reportHidden } from "../format/faults.ts";
import { readFrontMatter, splitText } from "../format/front_matter.ts";
import type { PromptOrigin } from "../format/prompt.ts";
import { walk } from "../load/walk.ts";
import { type Skill, SKILL_FILE, skillUri } from "./skill.ts";

/** Limits that every client must support (SEP-2640), and our own: a file is sent as one message. */
const MOST_FILES = 512;
export const MOST_SKILL_BYTES = 16 * 1024 * 1024;
const LARGEST_FILE_BYTES = 4 * 1024 * 1024;
const LARGEST_SKILL_FILE_BYTES = 100 * 1024;
const MOST_ENTRIES = 2_000;
/** The longest front matter as JSON, characters: aliases can expand a short text greatly. */
const LONGEST_FRONT = 64 * 1024;
/** Characters; set by the specification of Agent Skills. */
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1024;

const KIND = { name: "skill", largest: LARGEST_FILE_BYTES, outside: "its folder: put the file there itself" };
const LIMITS = `at most ${MOST_FILES} files of ${MOST_SKILL_BYTES} bytes are allowed`;
const START = { line: 1, column: 1 };

export interface SkillPlace {
  readonly origin: PromptOrigin;
  /** The folder's name, which must be the skill's name. */
  readonly name: string;
  /** Absolute, for reading and messages. */
  readonly folder: string;
}

/** Undefined: the folder has an error. Without a diagnostic: the folder is not a skill. */
export interface ReadSkill {
  readonly skill: Skill | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

interface FoundFile {
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface FoundFiles {
  readonly files: readonly FoundFile[];
  /** Below the skill's own; empty: that one. */
  readonly folders: readonly string[];
}

/** Reads a folder. Names that begin with a dot are not part of a skill. No content makes it throw. */
export async function readSkill(place: SkillPlace): Promise<ReadSkill> {
  const { name, folder } = place;
  const diagnostics: Diagnostic[] = [];
  if (realPath(`${folder}/${SKILL_FILE}`) === undefined) return { skill: undefined, diagnostics };
  if (name.length > LONGEST_NAME || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) {
    // The name may contain a line break, which must not break the message.
    const message =
      `Cannot read skill: the name ${writtenOut(shownValue(name))} must have at most ${LONGEST_NAME} of ` +
      "a-z, 0-9 and single hyphens between them: rename the folder";
    return { skill: undefined, diagnostics: [permanent(folder.slice(0, folder.lastIndexOf("/")), message)] };
  }
  const found = filesIn(folder, diagnostics);
  if (found === undefined || diagnostics.length > 0) return { skill: undefined, diagnostics };
  return await skillOf(place, found);
}

/** Builds the skill from the files that were read. */
export async function skillOf(place: SkillPlace, found: FoundFiles): Promise<ReadSkill> {
  const { origin, name, folder } = place;
  const { diagnostics, report } = collectFaults(`${folder}/${SKILL_FILE}`);
  const facts = await factsOf(place, found.files, report);
  if (facts === undefined || diagnostics.length > 0) return { skill: undefined, diagnostics };
  const ordered = found.files.toSorted((one, other) => Number(isMain(other)) - Number(isMain(one)));
  const [main, ...more] = await Promise.all(ordered.map(async ({ path, bytes }) => {
    return { path, bytes, uri: skillUri(origin, name, path), digest: await digestOf(bytes) };
  }));
  if (main === undefined) return { skill: undefined, diagnostics };
  const folders = found.folders.map((path) => skillUri(origin, name, path));
  return { skill: { name, origin, folder, ...facts, files: [main, ...more], folders }, diagnostics };
}

function isMain({ path }: Pick<FoundFile, "path">): boolean {
  return path === SKILL_FILE;
}

/** Undefined: it is not a skill, or it exceeds a limit, which is reported. */
function filesIn(folder: string, diagnostics: Diagnostic[]): FoundFiles | undefined {
  const isShown = (path: string) => !path.slice(path.lastIndexOf("/") + 1).startsWith(".");
  const walked = walk(folder, { noun: "skill", takes: isShown, enters: isShown, entries: MOST_ENTRIES });
  diagnostics.push(...walked.diagnostics);
  const refuse = (message: string) => void diagnostics.push(permanent(folder, `Cannot read skill: ${message}`));
  if (!walked.whole || walked.files.length > MOST_FILES) {
    refuse(`${LIMITS}: remove some`);
    return undefined;
  }
  const folders = walked.folders.map((path) => path.slice(folder.length + 1));
  const unclear = [...walked.files, ...folders].find((path) => hiddenCharacter(path) ?? /[\t\n\r\\\ufffd]/.test(path));
  if (unclear !== undefined) {
    refuse(
      `the name ${writtenOut(shownValue(unclear))} holds a hidden or control character or a backslash: rename the file`,
    );
    return undefined;
  }
  const files: FoundFile[] = [];
  let left = MOST_SKILL_BYTES;
  withFileOpener((opener) => {
    for (const path of walked.files) {
      const file = `${folder}/${path}`;
      const largest = path === SKILL_FILE ? LARGEST_SKILL_FILE_BYTES : LARGEST_FILE_BYTES;
      const bytes = bytesOf(
        file,
        { ...KIND, largest },
        () => readInside(folder, file, Math.min(left, largest), opener),
      );
      if (bytes === false) return refuse(`${LIMITS}: remove some`);
      if (!(bytes instanceof Uint8Array)) return void diagnostics.push(bytes);
      left -= bytes.length;
      files.push({ path, bytes });
    }
  });
  return { files, folders };
}

type Facts = Pick<Skill, "description" | "frontMatter">;

/** The front matter of `SKILL.md`; undefined: it is not a skill, which is reported. */
async function factsOf(
  { name }: SkillPlace,
  files: readonly FoundFile[],
  report: ReportFault,
): Promise<Facts | undefined> {
  for (const { path, bytes } of files) {
    if (!/\.(?:md|markdown)$/i.test(path)) continue;
    const text = textIn(bytes);
    if (text === undefined) return report("error", `"${path}" is not UTF-8: save it as UTF-8`, START);
    reportHidden(text, { noun: path === SKILL_FILE ? "skill" : `file "${path}"`, linesBefore: 0 }, report);
  }
  const split = splitText(textIn(files.find(isMain)?.bytes) ?? "");
  if (split === "unclosed") {
    return report("error", 'The front matter is not closed: end it with a line of "---"', START);
  }
  if (split.head === undefined) {
    return report(
      "error",
      'The file begins without front matter: write "---" and lines for name and description',
      START,
    );
  }
  const matter = await readFrontMatter(split.head, report);
  if (matter === undefined) return undefined;
  const frontMatter = asJson(matter.values);
  if (frontMatter === undefined) {
    return report(
      "error",
      "The front matter has values that JSON cannot represent, or too many: write plain values",
      START,
    );
  }
  const hidden = hiddenIn(frontMatter);
  if (hidden !== undefined) {
    return report("error", `The front matter contains the hidden character ${hidden}: remove it`, START);
  }
  const { name: own, description } = frontMatter;
  if (own !== name) {
    const message = `The name ${shownValue(own)} is not that of the folder: write "name: ${name}"`;
    return report("error", message, matter.placeOf(["name"]));
  }
  if (typeof description !== "string" || description.trim() === "" || description.length > LONGEST_DESCRIPTION) {
    const message =
      `The description must be a text of 1 to ${LONGEST_DESCRIPTION} characters: say when to use the skill`;
    return report("error", message, matter.placeOf(["description"]));
  }
  return { description, frontMatter };
}

/** The text of a file unchanged, byte order mark included; undefined: the file is missing or not text. */
export function textIn(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  return attempt(TypeError, () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
}

/** The values after a round trip through JSON; undefined: JSON would change them, or exceeds its limit. */
function asJson(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  let isPlain = true;
  const text = attempt(TypeError, () =>
    JSON.stringify(values, (_, value) => {
      // JSON rounds a large integer, and a host that compares the two would refuse the skill.
      if (
        typeof value === "number" &&
        (!Number.isFinite(value) || Number.isInteger(value) && !Number.isSafeInteger(value))
      ) {
        isPlain = false;
      }
      return value;
    }));
  return text === undefined || !isPlain || text.length > LONGEST_FRONT ? undefined : JSON.parse(text);
}

/** The first hidden character in names and texts (YAML can escape them); undefined: there is none. */
function hiddenIn(values: unknown): string | undefined {
  if (typeof values === "string") return hiddenCharacter(values);
  if (typeof values !== "object" || values === null) return undefined;
  for (const [name, value] of Object.entries(values)) {
    const hidden = hiddenCharacter(name) ?? hiddenIn(value);
    if (hidden !== undefined) return hidden;
  }
  return undefined;
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return `sha256:${new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex()}`;
}

/** A skill that is part of the program, from its text. */
export async function bundledSkill(name: string, text: string): Promise<ReadSkill> {
  const files = [{ path: SKILL_FILE, bytes: encodeText(text) }];
  return await skillOf({ origin: "bundled", name, folder: name }, { files, folders: [""] });
}
