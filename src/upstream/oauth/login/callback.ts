/** The browser's answer, checked before any part of it is used (O3). Pure. */
import { equalInConstantTime } from "../../../base/bytes.ts";
import { shorten } from "../../../base/visible_text.ts";

/** The outcome of a callback of this login. `refused`: a sentence. */
export type Callback =
  | { readonly kind: "code"; readonly code: string; readonly iss: string | undefined }
  | { readonly kind: "refused"; readonly why: string };

/** Whether the query belongs to the login with this `state`; must be checked before anything else in it. */
export function isOfLogin(query: URLSearchParams, state: string): boolean {
  const given = query.getAll("state");
  return given.length === 1 && equalInConstantTime(given[0] ?? "", state);
}

/** `checkIssuer` throws where `iss` is not the server's; the error texts of a foreign server are not shown. */
export function readCallback(query: URLSearchParams, checkIssuer: (iss: string | undefined) => void): Callback {
  const iss = query.get("iss") ?? undefined;
  try {
    checkIssuer(iss);
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return { kind: "refused", why: "The answer does not come from the authorization server of this login (iss)" };
  }
  const error = query.get("error");
  if (error !== null) {
    const described = query.get("error_description");
    const more = described === null ? "" : ` (${shorten(described)})`;
    return { kind: "refused", why: `The authorization server refused the login: ${shorten(error, 80)}${more}` };
  }
  const [code, ...others] = query.getAll("code");
  if (code === undefined || code === "" || others.length > 0) {
    return { kind: "refused", why: "The authorization server sent no code" };
  }
  return { kind: "code", code, iss };
}

/** The query of an address, or of a part of one, that a person pasted; undefined: there is none. */
export function pastedQuery(line: string): URLSearchParams | undefined {
  const text = line.trim();
  const query = URL.canParse(text) ? new URL(text).search : text.slice(text.indexOf("?") + 1);
  return query.includes("=") ? new URLSearchParams(query) : undefined;
}
