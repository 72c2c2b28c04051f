/** What an entry says about the login to its server, in any dialect (O1, O3). Pure. */
import { shownValue } from "../../base/text.ts";
import type { OAuthFields } from "../oauth/oauth_config.ts";
import type { EntryReader } from "./entry_reader.ts";
import { expand, type VariableSources } from "./expand.ts";

const PROOFS = '"clientSecret" or "privateKeyFile"';
/** The form that clients of Atlassian's older servers register: without a path. */
const ATLASSIAN_REDIRECT = "http://localhost:8080";
const HIGHEST_PORT = 65_535;

/** The fields of the login; empty where the entry says nothing. */
export function readOAuth(entry: EntryReader, sources: VariableSources): OAuthFields {
  const oauth = entry.part("oauth");
  const auth = entry.part("auth");
  const expanded = (reader: EntryReader, ...names: readonly string[]) => {
    const text = reader.text(...names);
    return text === undefined ? undefined : reader.expanded(names[0] ?? "", expand(text, sources)).text;
  };
  const seedId = expanded(entry, "atlassian_client_id");
  const seedSecret = expanded(entry, "atlassian_client_secret");
  const fields: OAuthFields = {
    grant: grantIn(oauth),
    issuer: expanded(oauth, "issuer"),
    clientId: expanded(oauth, "clientId", "client_id") ?? expanded(auth, "CLIENT_ID") ??
      expanded(entry, "client_id") ?? seedId,
    clientSecret: expanded(oauth, "clientSecret", "client_secret") ?? expanded(auth, "CLIENT_SECRET") ??
      expanded(entry, "client_secret") ?? seedSecret,
    privateKeyFile: expanded(oauth, "privateKeyFile", "private_key_file"),
    keyId: expanded(oauth, "keyId", "key_id"),
    scopes: scopesIn(oauth) ?? scopesIn(auth) ?? scopesIn(entry),
    callbackPort: portIn(oauth),
    redirectUri: expanded(oauth, "redirectUri", "redirect_uri", "callback_url") ??
      (seedId === undefined ? undefined : ATLASSIAN_REDIRECT),
    resource: resourceIn(oauth) ?? entry.text("oauth_resource"),
    authServerMetadataUrl: expanded(oauth, "authServerMetadataUrl", "auth_server_metadata_url"),
    clientMetadataUrl: expanded(oauth, "clientMetadataUrl", "client_metadata_url"),
    assumePkce: oauth.flag("assumePkce", "assume_pkce"),
  };
  const { grant, clientId, clientSecret, privateKeyFile } = fields;
  if (grant !== undefined && !(clientId && (clientSecret || privateKeyFile))) {
    oauth.refuse("grant", `Field "grant" needs "clientId" and ${PROOFS} of a registered client next to it`);
  }
  if (privateKeyFile !== undefined && (grant === undefined || clientSecret || !privateKeyFile.startsWith("/"))) {
    oauth.refuse(
      "privateKeyFile",
      'Field "privateKeyFile" must be an absolute path, next to "grant": "client_credentials" and without a secret',
    );
  }
  // Endpoints are discovered.
  oauth.ignore("enabled", "authorizationUrl", "tokenUrl");
  oauth.warnOfUnknown();
  auth.warnOfUnknown();
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Undefined also for the default, where a person logs in. */
function grantIn(oauth: EntryReader): "client_credentials" | undefined {
  const grant = oauth.text("grant", "grantType", "grant_type");
  if (grant === "client_credentials") return grant;
  if (grant !== undefined && grant !== "authorization_code") {
    oauth.refuse(
      "grant",
      `Field "grant" must be "client_credentials" or "authorization_code", not ${shownValue(grant)}`,
    );
  }
  return undefined;
}

/** A list, or texts separated by blanks. */
function scopesIn(reader: EntryReader): readonly string[] | undefined {
  const value = reader.value("scopes");
  const scopes = typeof value === "string" ? value.split(" ") : reader.texts("scopes");
  return scopes?.filter((scope) => scope !== "");
}

function portIn(oauth: EntryReader): number | undefined {
  const port = oauth.amount("callbackPort", "callback_port");
  if (port === undefined || Number.isInteger(port) && port <= HIGHEST_PORT) return port;
  oauth.refuse("callbackPort", `Field "callbackPort" must be a port, not ${port}`);
  return undefined;
}

function resourceIn(oauth: EntryReader): string | false | undefined {
  return oauth.value("resource") === false ? false : oauth.text("resource");
}
