/** The stored form of a login to one server. Pure. */
import * as z from "zod";
import { failure, type Outcome, success } from "../../../base/outcome.ts";
import { lazy } from "../../../base/lazy.ts";
import { parseJson } from "../../../wire/json_value.ts";

/** The version of the file's format. */
const VERSION = 1;

/** Building a schema would cost every start, so it is built when a file is read. */
const schemaOf = lazy(() =>
  z.object({
    version: z.literal(VERSION),
    serverUrl: z.url(),
    /** Issuer of client and tokens: they never go to another one. */
    issuer: z.string(),
    /** The `resource` of the login; absent: none was sent. */
    resource: z.string().optional(),
    client: z.object({
      clientId: z.string(),
      clientSecret: z.string().optional(),
      /** Seconds since 1970; absent: the secret does not expire. */
      secretExpiresAt: z.number().optional(),
      authMethod: z.string().optional(),
      redirectUri: z.string(),
      /** Given by a person, a metadata document, or registered by us. */
      how: z.enum(["given", "document", "registered"]),
    }),
    server: z.object({
      url: z.string(),
      authorizationEndpoint: z.string(),
      tokenEndpoint: z.string(),
      revocationEndpoint: z.string().optional(),
      authMethods: z.array(z.string()).optional(),
    }),
    tokens: z.object({
      accessToken: z.string(),
      refreshToken: z.string().optional(),
      scope: z.string().optional(),
      /** Milliseconds since 1970. */
      obtainedAt: z.number(),
      /** Absent: the server did not say. */
      expiresAt: z.number().optional(),
    }),
    /** Why a person has to log in again; absent: not needed. */
    needsLogin: z.string().optional(),
    /** The authorization server no longer knows the client, or did not answer its login. */
    clientIsLost: z.boolean().optional(),
  })
);

/** A login, immutable; a change is a new one. */
export type StoredLogin = Readonly<z.infer<ReturnType<typeof schemaOf>>>;
export type StoredTokens = Readonly<StoredLogin["tokens"]>;
export type StoredClient = Readonly<StoredLogin["client"]>;
export type StoredServer = Readonly<StoredLogin["server"]>;

/** The text of the file. */
export function storedText(login: Omit<StoredLogin, "version">): string {
  return `${JSON.stringify({ version: VERSION, ...login }, null, 2)}\n`;
}

/** The login in a file's text; the problem is part of a sentence and shows nothing of the file. */
export function readStored(text: string): Outcome<StoredLogin> {
  const parsed = parseJson(text);
  if (!parsed.ok) return failure("it is not JSON");
  const read = schemaOf().safeParse(parsed.value);
  if (read.success) return success(read.data);
  return failure(`it is not a login of this version (${read.error.issues[0]?.path.join(".") || "whole file"})`);
}
