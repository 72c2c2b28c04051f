import { LONGEST_SECONDS, ofSubcommands, taking } from "./flag.ts";

/** The flags of "auth login" (O3). */
export const LOGIN_FLAGS = ofSubcommands({
  "client-id": taking("text", "ID", "The id of a client registered at the server for this program"),
  "client-secret-env": taking("name", "NAME", "The variable that holds the secret of --client-id"),
  "client-metadata-url": {
    value: "text",
    placeholder: "URL",
    help: "A public document that describes the client; its address is the id if the server supports such documents",
  },
  "scopes": taking("text", "SCOPES", "Scopes to request, separated by spaces, instead of those that the server names", {
    repeatable: true,
  }),
  "oauth-port": taking("count", "PORT", "Port that the browser returns to (default: 8080, or a free one)", {
    range: [0, 65_535],
  }),
  "oauth-timeout": taking("number", "SECONDS", "How long a person may take to log in (default: 300)", {
    range: [0.001, LONGEST_SECONDS],
  }),
});
