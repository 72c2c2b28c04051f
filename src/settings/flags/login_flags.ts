import { LONGEST_SECONDS, ofSubcommands, taking } from "./flag.ts";

/** The flags of "auth login" (O3). */
export const LOGIN_FLAGS = ofSubcommands({
  "client-id": taking("text", "ID", "The client that is registered for this program at the server"),
  "client-secret-env": taking("name", "NAME", "The variable that holds the secret of --client-id"),
  "client-metadata-url": {
    value: "text",
    placeholder: "URL",
    help: "A public document that describes the client, and is its id where a server knows such documents",
  },
  "scopes": taking("text", "SCOPES", "What to ask for, separated by blanks, instead of what the server names", {
    repeatable: true,
  }),
  "oauth-port": taking("count", "PORT", "Where the browser comes back to (default: 8080, or one that is free)", {
    range: [0, 65_535],
  }),
  "oauth-timeout": taking("number", "SECONDS", "How long a person may take to log in (default: 300)", {
    range: [0.001, LONGEST_SECONDS],
  }),
});
