import { VERSION } from "../../base/version.ts";
import { type InitializeRequest, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";

/** The unchanged answer of a server to `initialize`. */
export type InitializeAnswer = Readonly<Record<string, unknown>>;

/** The newest version with sessions. */
const NEWEST_VERSION = "2025-11-25";

/** The parameters of `initialize` where the bridge is the client itself. */
export const OWN_INITIALIZE = {
  protocolVersion: NEWEST_VERSION,
  capabilities: {},
  clientInfo: { name: "ahma_mcp", version: VERSION },
} as const;

/** The version for a client that asks for `wanted`, where the server speaks `spoken`: never an error (5.13, 12). */
function versionFor(wanted: string, spoken: unknown): string {
  const newest = typeof spoken === "string" ? spoken : NEWEST_VERSION;
  return SUPPORTED_PROTOCOL_VERSIONS.includes(wanted) && wanted <= newest ? wanted : newest;
}

/** A server's answer, for a client that asks for another version. */
export function answerFor(
  { protocolVersion }: InitializeRequest["params"],
  answer: InitializeAnswer,
): InitializeAnswer {
  return { ...answer, protocolVersion: versionFor(protocolVersion, answer["protocolVersion"]) };
}
