/**
 * Decides from the head of a request whether the dashboard serves it (V3). Web pages of other sites, other users of the
 * machine, and commands that reach its loopback have no token; without one there is only a page without data. Pure.
 */
import { equalInConstantTime } from "../base/bytes.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";

/** The head of a request. */
export interface DashboardRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
}

/** What an admitted request asks for. */
export type DashboardRoute = "page" | "events" | "output" | "history" | "changes" | "action";

/** Why a request is not served. */
export interface DashboardRefusal {
  readonly status: number;
  readonly problem: string;
}

export interface DashboardRules {
  readonly port: number;
  readonly token: string;
}

const READ: Readonly<Record<string, DashboardRoute>> = {
  "/api/events": "events",
  "/api/output": "output",
  "/api/history": "history",
  "/api/changes": "changes",
};
const ACTION = "/api/action";
/** A page of another site cannot send it without a preflight request, which is refused. */
const ACTION_HEADER = "ahma-action";
/** What a browser says about requests of this page, or of a person. */
const OWN_SITES: readonly (string | null)[] = [null, "same-origin", "none"];

/** The refusal, or what the request asks for. */
export function dashboardGuard(
  { method, path, headers }: DashboardRequest,
  { port, token }: DashboardRules,
): Outcome<DashboardRoute, DashboardRefusal> {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const host = headers.get("host")?.toLowerCase() ?? "";
  if (!hosts.includes(host)) return refuse(403, `Host "${host}" is not the dashboard's`);
  const origin = headers.get("origin")?.toLowerCase();
  if (origin !== undefined && origin !== `http://${host}`) {
    return refuse(403, `Origin "${origin}" is not the dashboard's`);
  }
  if (path === "/") return method === "GET" ? success("page") : refuse(405, `Method ${method} is not allowed here`);
  const route = path === ACTION ? "action" : READ[path];
  // Without a token, unknown pages get the same answer as existing ones.
  if (!hasToken(headers, token)) return refuse(401, "The token is missing, or is not this dashboard's");
  if (route === undefined) return refuse(404, `There is nothing at "${path}"`);
  if (!OWN_SITES.includes(headers.get("sec-fetch-site"))) return refuse(403, "Another site made the request");
  if (route !== "action") {
    return method === "GET" ? success(route) : refuse(405, `Method ${method} is not allowed here`);
  }
  if (method !== "POST") return refuse(405, `Method ${method} is not allowed here`);
  if (headers.get(ACTION_HEADER) !== "1") return refuse(403, `The header ${ACTION_HEADER} is missing`);
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  return type === "application/json" ? success(route) : refuse(415, "An action is application/json");
}

function hasToken(headers: Headers, token: string): boolean {
  const given = /^bearer\s+(\S+)\s*$/i.exec(headers.get("authorization") ?? "")?.[1];
  return given !== undefined && equalInConstantTime(given, token);
}

function refuse(status: number, problem: string): Outcome<never, DashboardRefusal> {
  return failure({ status, problem });
}
