/** Stores each verdict in a small file in the user's cache, by the key of the reviewed content (K8). */
import { encodeText } from "../../../base/text.ts";
import { expected } from "../../../system/paths.ts";
import { writePrivately } from "../../../system/replace/private_file.ts";
import { isObject, member, parseJson } from "../../../wire/json_value.ts";
import type { Project } from "../../project/project.ts";
import { SEVERITIES } from "../../definition/rules.ts";
import type { Rule, Severity } from "../format/rule.ts";

export interface ReviewFinding {
  readonly line: number;
  readonly severity: Severity;
  readonly message: string;
  readonly suggestion: string;
}

export interface Verdict {
  readonly pass: boolean;
  /** Empty if the review passes. */
  readonly findings: readonly ReviewFinding[];
}

/** Beyond this number, the older half is dropped. */
const MOST_VERDICTS = 20_000;
const FOLDER = "verdicts";

export class Verdicts {
  readonly #directory: string | undefined;
  readonly #memory = new Map<string, Verdict>();

  /** Without a cache directory, verdicts are kept in memory. */
  constructor({ setup: { cache } }: Pick<Project, "setup">) {
    this.#directory = cache === undefined ? undefined : `${cache}/${FOLDER}`;
  }

  /** The verdict of a key; undefined: there is none, or it cannot be read. */
  get(key: string): Verdict | undefined {
    if (this.#directory === undefined) return this.#memory.get(key);
    const text = expected(() => Deno.readTextFileSync(this.#fileOf(key)));
    return text === undefined ? undefined : verdictOf(text);
  }

  /** Records a verdict atomically. */
  async put(key: string, verdict: Verdict): Promise<void> {
    if (this.#directory === undefined) this.#memory.set(key, verdict);
    else await writePrivately(this.#fileOf(key), JSON.stringify(verdict));
  }

  /** Removes the older half if there are too many. */
  prune(most: number = MOST_VERDICTS): void {
    const directory = this.#directory;
    if (directory === undefined) return;
    const names = [...expected(() => Deno.readDirSync(directory).map(({ name }) => name).toArray()) ?? []];
    if (names.length <= most) return;
    const aged = names.map((name) => {
      const path = `${directory}/${name}`;
      return { path, time: expected(() => Deno.statSync(path))?.mtime?.getTime() ?? 0 };
    }).toSorted((one, other) => one.time - other.time);
    for (const { path } of aged.slice(0, names.length - Math.floor(most / 2))) expected(() => Deno.removeSync(path));
  }

  #fileOf(key: string): string {
    return `${this.#directory}/${key}.json`;
  }
}

/** Parses a verdict; undefined: the file is damaged, and the review is requested again. */
function verdictOf(text: string): Verdict | undefined {
  const read = parseJson(text);
  const pass = read.ok ? member(read.value, "pass") : undefined;
  const findings = read.ok ? member(read.value, "findings") : undefined;
  if (typeof pass !== "boolean" || !Array.isArray(findings) || !findings.every(isObject)) return undefined;
  return {
    pass,
    findings: findings.map(({ line, severity, message, suggestion }) => ({
      line: Number(line),
      severity: SEVERITIES.find((one) => one === severity) ?? "warning",
      message: String(message),
      suggestion: String(suggestion),
    })),
  };
}

/** Number of key characters in a review id. */
const SHOWN = 12;

/** The key of a verdict, independent of the file name: the SHA-256 of content, severity and template in hexadecimal. */
export async function reviewKey({ severity, body }: Pick<Rule, "severity" | "body">, content: string): Promise<string> {
  const parts = [severity, body, content].map((part) => `${part.length}:${part}`).join("");
  return new Uint8Array(await crypto.subtle.digest("SHA-256", encodeText(parts))).toHex();
}

/** The identifier of a review; it encodes its file and content. */
export function reviewId(rule: string, path: string, key: string): string {
  return `${rule}:${key.slice(0, SHOWN)}:${path}`;
}

/** The parts of an identifier; undefined: it is not one. */
export function parseReviewId(
  id: string,
): { readonly rule: string; readonly path: string; readonly start: string } | undefined {
  const [, rule, start, path] = /^(.+?):([0-9a-f]{12}):(.+)$/s.exec(id) ?? [];
  return rule === undefined || start === undefined || path === undefined ? undefined : { rule, path, start };
}
