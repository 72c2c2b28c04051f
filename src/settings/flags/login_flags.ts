import { type FlagRow, LONGEST_SECONDS } from "./flag.ts";

/** The flags of "auth login" (O3). */
export const LOGIN_FLAGS = {
  "client-id": {
    value: "text",
    placeholder: "ID",
    help: "The client that is registered for this program at the server",
    own: true,
  },
  "client-secret-env": {
    value: "name",
    placeholder: "NAME",
    help: "The variable that holds the secret of --client-id",
    own: true,
  },
  "client-metadata-url": {
    value: "text",
    placeholder: "URL",
    help: "A public document that describes the client, and is its id where a server knows such documents",
    own: true,
  },
  "scopes": {
    value: "text",
    placeholder: "SCOPES",
    help: "What to ask for, separated by blanks, instead of what the server names",
    own: true,
  },
  "oauth-port": {
    value: "count",
    placeholder: "PORT",
    range: [0, 65_535],
    help: "Where the browser comes back to (default: 8080, or one that is free)",
    own: true,
  },
  "oauth-timeout": {
    value: "number",
    range: [0.001, LONGEST_SECONDS],
    help: "How long a person may take to log in (default: 300)",
    own: true,
  },
} as const satisfies Readonly<Record<string, FlagRow>>;
