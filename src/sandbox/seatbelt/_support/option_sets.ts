/** Policies for tests of profiles. */
import type { SeatbeltPolicy } from "../profile.ts";

/** The policy of an ordinary session. */
export const ORDINARY: SeatbeltPolicy = {
  writable: [
    "/Users/ann/project",
    "/private/var/folders/x1/y2/T/ahma_mcp-1/tmp",
    "/Users/ann/.cache/ahma_mcp/scopes/p",
  ],
  sensitive: ["/Users/ann/.aws", "/Users/ann/.ssh", "/Users/ann/Library/Keychains"],
  protected: ["/Users/ann/project/.git/hooks", "/Users/ann/project/.mcp.json"],
  protectedFiles: ["/Users/ann/project/.git"],
  network: "full",
  unixSockets: "deny",
};

/** Each option by its name, against the ordinary session. */
export const OPTION_SETS: Readonly<Record<string, SeatbeltPolicy>> = {
  ordinary: ORDINARY,
  network_none: { ...ORDINARY, network: "none" },
  network_localhost: { ...ORDINARY, network: "localhost" },
  unix_sockets_allow: { ...ORDINARY, unixSockets: "allow" },
  no_temp_files: { ...ORDINARY, writable: ["/Users/ann/project", "/Users/ann/.cache/ahma_mcp/scopes/p"] },
  allow_protected: { ...ORDINARY, protected: [], protectedFiles: [] },
  write_below_tmp: {
    ...ORDINARY,
    writable: ["/private/tmp/work"],
    protected: ["/private/tmp/work/.envrc"],
    protectedFiles: [],
  },
  write_home: { ...ORDINARY, writable: ["/Users/ann"], protected: ["/Users/ann/.mcp.json"], protectedFiles: [] },
};
