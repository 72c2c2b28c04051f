/** What a person allowed always for a project, and its stored form (S36). Pure. */
import * as z from "zod";
import { ASKED_ACCOUNT, type GrantSubject, subjectKey } from "../../base/command/grant_subject.ts";
import { lazy } from "../../base/lazy.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { FileIdentity } from "../../system/libc.ts";
import { normalPath } from "../../system/paths.ts";
import { parseJson } from "../../wire/json_value.ts";

/** A scope of the server that asked, canonical: a different directory at the same path is another project. */
export interface ProjectScope extends FileIdentity {
  readonly path: string;
}

/** A kept grant, immutable; a change is a new one. */
export interface KeptGrant {
  /** `g_` and 8 hexadecimal digits. */
  readonly id: string;
  readonly subject: GrantSubject;
  /** What lay at the subject's path when it was asked for; absent where the subject has none. */
  readonly identity?: FileIdentity;
  /** All scopes of the server. */
  readonly project: readonly ProjectScope[];
  /** Milliseconds since 1970. */
  readonly granted: number;
  /** The last use, milliseconds since 1970. */
  readonly used: number;
}

/** The version of the file's format. */
const VERSION = 1;
/** How long a grant holds after its last use, milliseconds: 30 days. */
const UNUSED_MS = 30 * 86_400_000;
/** A time this far in the future comes from a wrong clock, and the grant would never expire; milliseconds. */
const AHEAD_MS = 86_400_000;

/** Building a schema would cost every start, so it is built when a file is read. */
const schemaOf = lazy(() => {
  const number = z.string().regex(/^\d{1,20}$/).transform(BigInt);
  const path = z.string().regex(/^\/[^\0]*$/).refine((one) => normalPath(one) === one);
  const time = z.number().int().nonnegative();
  const identity = z.object({ device: number, inode: number });
  const common = {
    id: z.string().regex(/^g_[0-9a-f]{8}$/),
    project: z.array(identity.extend({ path })).min(1),
    granted: time,
    used: time,
  };
  const fingerprint = z.string().regex(/^SHA256:[\w+/]{43}$/);
  const login = z.object({
    kind: z.literal("ssh"),
    hostKey: fingerprint,
    account: z.string().regex(ASKED_ACCOUNT),
    key: fingerprint,
    name: z.string(),
    comment: z.string(),
  });
  const host = z.object({
    kind: z.literal("network"),
    host: z.string().regex(/^[^\sA-Z]+$/),
    port: z.number().int().min(1).max(65_535),
  });
  const place = z.object({ kind: z.enum(["read", "write", "protected"]), path });
  return z.object({
    version: z.literal(VERSION),
    grants: z.array(z.union([
      z.object({ ...common, subject: place, identity }),
      z.object({ ...common, subject: z.union([host, login]), identity: z.undefined().optional() })
        .transform(({ identity: _, ...rest }) => rest),
    ])),
  }).transform(({ grants }): readonly KeptGrant[] => grants);
});

/** The text of the file. */
export function storedGrants(grants: readonly KeptGrant[]): string {
  const text = (_name: string, value: unknown) => typeof value === "bigint" ? String(value) : value;
  return `${JSON.stringify({ version: VERSION, grants }, text, 2)}\n`;
}

/** The grants in a file's text; the problem is part of a sentence and shows nothing of the file. */
export function readGrants(text: string): Outcome<readonly KeptGrant[]> {
  const parsed = parseJson(text);
  if (!parsed.ok) return failure("it is not JSON");
  const read = schemaOf().safeParse(parsed.value);
  if (read.success) return success(read.data);
  return failure(`it does not have the form of this version (${read.error.issues[0]?.path.join(".") || "whole file"})`);
}

/** Whether a grant has expired, because nothing used it for 30 days. `now`: milliseconds since 1970. */
export function isExpired({ used }: KeptGrant, now: number): boolean {
  return now - used > UNUSED_MS || used - now > AHEAD_MS;
}

/** Equal for grants that open the same to the same project. */
export function isSameGrant(one: Omit<KeptGrant, "id" | "granted" | "used">, other: typeof one): boolean {
  return grantKey(one) === grantKey(other);
}

function grantKey({ subject, identity, project }: Parameters<typeof isSameGrant>[0]): string {
  const at = identity === undefined ? "" : `${identity.device}:${identity.inode}`;
  return `${subjectKey(subject)}\n${at}\n${projectKey(project)}`;
}

/** Equal for the same directories, in any order. */
export function projectKey(scopes: readonly ProjectScope[]): string {
  return scopes.map(({ path, device, inode }) => `${device}:${inode}:${path}`).sort().join("\n");
}
