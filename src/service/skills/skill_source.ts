/** Skills as resources, and as the entries of the skills extension (Q6). */
import type { ReadResourceResult, Resource } from "@modelcontextprotocol/server";
import { diagnosticLines } from "../../base/diagnostic.ts";
import { Emitter, type Unsubscribe } from "../../base/emitter.ts";
import { attempt } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { compareText, shownValue } from "../../base/text.ts";
import type { LiveSkills } from "../../prompt/skill/live_skills.ts";
import { textIn } from "../../prompt/skill/read_skill.ts";
import { type Skill, SKILL_SCHEME, type SkillFile, type SkillLibrary } from "../../prompt/skill/skill.ts";
import { messageOf } from "../../base/errors.ts";
import type { Completion } from "../prompts/prompt_source.ts";
import type { ListedResources, ResourceRefusal, ResourceSource, SkillEntries, SkillEntry } from "../resource_source.ts";

/** Key of `_meta` that says where a skill comes from. */
const SKILL_META_KEY = "ahma/skill";
const FOLDER_TYPE = "inode/directory";

/** Types by the ending of a name; others are plain text or bytes. */
const TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  csv: "text/csv",
  gif: "image/gif",
  html: "text/html",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  markdown: "text/markdown",
  md: "text/markdown",
  pdf: "application/pdf",
  png: "image/png",
  py: "text/x-python",
  sh: "application/x-sh",
  svg: "image/svg+xml",
  ts: "text/x-typescript",
  yaml: "application/yaml",
  yml: "application/yaml",
};

interface Found {
  readonly skill: Skill;
  readonly file: SkillFile;
}

export class SkillSource implements ResourceSource, SkillEntries {
  readonly skills = this;
  readonly #live: LiveSkills;
  readonly #updates: Emitter<string>;
  /** What was asked for last. */
  #known: SkillLibrary | undefined;

  constructor(live: LiveSkills, log: Logger) {
    this.#live = live;
    this.#updates = new Emitter((thrown) => log.error("A listener of skills threw", { error: messageOf(thrown) }));
    live.subscribe((library) => this.#compare(library));
  }

  async list(): Promise<ListedResources> {
    const { skills } = await this.#current();
    return { resources: skills.map((skill) => resourceOf({ skill, file: skill.files[0] })), templates: [] };
  }

  owns(uri: string): boolean {
    return uri.startsWith(SKILL_SCHEME);
  }

  async read(uri: string): Promise<Outcome<ReadResourceResult, ResourceRefusal>> {
    const found = findFile(await this.#current(), uri);
    if (found === undefined) return notServed(uri);
    const { file: { bytes } } = found;
    const { mimeType } = resourceOf(found);
    const text = plainText(bytes);
    return success({
      contents: [{ uri, mimeType, ...text === undefined ? { blob: bytes.toBase64() } : { text } }],
    });
  }

  complete(): Promise<Outcome<Completion, ResourceRefusal>> {
    return Promise.resolve(success({ values: [] }));
  }

  async follow(uri: string): Promise<Outcome<Unsubscribe, ResourceRefusal>> {
    return findFile(await this.#current(), uri) === undefined ? notServed(uri) : success(() => {});
  }

  onChange(listener: () => void): Unsubscribe {
    return this.#live.subscribe(() => listener());
  }

  onUpdate(listener: (uri: string) => void): Unsubscribe {
    return this.#updates.subscribe(listener);
  }

  async entries(): Promise<readonly SkillEntry[]> {
    return (await this.#current()).skills.map(entryOf);
  }

  async entry(uri: string): Promise<SkillEntry | undefined> {
    const found = findFile(await this.#current(), uri);
    return found === undefined || found.file !== found.skill.files[0] ? undefined : entryOf(found.skill);
  }

  async children(uri: string): Promise<readonly Resource[] | undefined> {
    const { skills } = await this.#current();
    const folder = canonical(uri);
    const below = `${folder}/`;
    // Above the skills there are folders too: one for each owner.
    const inside = (one: string) => one.startsWith(below) && !one.includes("/", below.length);
    const folders = new Set(skills.flatMap((skill) => [...skill.folders, parentOf(skill.folders[0] ?? "")]));
    if (!folders.has(folder)) return undefined;
    const files = skills.flatMap((skill) => skill.files.map((file) => ({ skill, file })));
    return [
      ...files.filter(({ file }) => inside(file.uri)).map(resourceOf),
      ...[...folders].filter(inside).sort(compareText).map((one) => ({
        uri: one,
        name: decodeURIComponent(one.slice(below.length)),
        mimeType: FOLDER_TYPE,
      })),
    ];
  }

  /** What is wrong in folders. */
  async status(): Promise<readonly string[]> {
    return diagnosticLines("Skills:", (await this.#current()).diagnostics);
  }

  async #current(): Promise<SkillLibrary> {
    return this.#known = await this.#live.current();
  }

  /** Tells of each file that changed or went since a client asked last. */
  #compare(library: SkillLibrary): void {
    const digests = digestsOf(library);
    for (const [uri, digest] of digestsOf(this.#known)) if (digests.get(uri) !== digest) this.#updates.emit(uri);
    this.#known = library;
  }
}

function digestsOf(library: SkillLibrary | undefined): ReadonlyMap<string, string> {
  const files = library?.skills.flatMap((skill) => skill.files) ?? [];
  return new Map(files.map(({ uri, digest }) => [uri, digest]));
}

function findFile({ skills }: SkillLibrary, uri: string): Found | undefined {
  const wanted = canonical(uri);
  for (const skill of skills) {
    const file = skill.files.find((one) => one.uri === wanted);
    if (file !== undefined) return { skill, file };
  }
  return undefined;
}

/** The address with the escapes that ours have: a client that resolves a relative path may write others. */
function canonical(uri: string): string {
  if (!uri.startsWith(SKILL_SCHEME)) return uri;
  const names = uri.slice(SKILL_SCHEME.length).split("/");
  const written = attempt(URIError, () => names.map((name) => encodeURIComponent(decodeURIComponent(name))).join("/"));
  return written === undefined ? uri : `${SKILL_SCHEME}${written}`;
}

function parentOf(uri: string): string {
  return uri.slice(0, uri.lastIndexOf("/"));
}

function entryOf({ frontMatter, files }: Skill): SkillEntry {
  return {
    uri: files[0].uri,
    frontmatter: frontMatter,
    resources: files.map(({ uri, digest, bytes }) => ({ uri, digest, size: bytes.length })),
  };
}

/** A file in the form of `resources/list`. */
function resourceOf({ skill, file }: Found): Resource {
  const { name, description, origin } = skill;
  const { path, uri, bytes } = file;
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  const known = TYPES[ending];
  const facts = {
    uri,
    mimeType: known ?? (plainText(bytes) === undefined ? "application/octet-stream" : "text/plain"),
    size: bytes.length,
    _meta: { [SKILL_META_KEY]: { source: origin } },
  };
  if (file !== skill.files[0]) return { name: path.slice(path.lastIndexOf("/") + 1), ...facts };
  // Skills of a project are marked as such for the client, because other people may have written them.
  return { name, ...origin === "project" && { title: `${name} (project)` }, description, ...facts };
}

/** What can be sent as text, so that its bytes are the same; undefined: it is sent as bytes. */
function plainText(bytes: Uint8Array): string | undefined {
  return bytes.includes(0) ? undefined : textIn(bytes as Uint8Array<ArrayBuffer>);
}

function notServed(uri: string): Outcome<never, ResourceRefusal> {
  return failure({ missing: true, message: `No file of a skill is served at ${shownValue(uri)}` });
}
