/** Servers that tests of several modules share: each starts with the first of its tests and ends after all of the file. */
import { HttpServerProcess } from "../_support/servers/http_server.ts";
import { sharing } from "../_support/sharing.ts";

const ISOLATED = "--session-isolation";

/** For all clients together. It has room for all the sessions that its tests leave behind. */
export const test = sharing((bench) => {
  bench.write(".ahma/tools/one.json", JSON.stringify({ name: "one", command: "echo", description: "One." }));
  bench.write(".ahma/prompts/a.md", "A");
  return HttpServerProcess.start(bench, { flags: ["--allow-origin", "https://ide.example", "--max-sessions", "1000"] });
});

const SCRIPTS = ["--bundles", "files", "--code-mode", "all"];

/** Of the ordinary user, since root passes checks of permissions; calls wait for their results, however long those take. */
export const testIsolated = sharing(
  (bench) => HttpServerProcess.start(bench, { flags: [ISOLATED, ...SCRIPTS, "--inline-wait", "60000"] }),
  "ordinary",
);

/** The same below a ceiling, which is the scope of clients without roots. */
export const testCeiling = sharing(
  (bench) => HttpServerProcess.start(bench, { flags: [ISOLATED, "--sandbox-scope", bench.scope] }),
  "ordinary",
);

/** A client has ten seconds for its part of the handshake, and an unused session five. */
const SHORT = ["--session-idle", "5", "--handshake-timeout", "10"];

/** As root where there is root: below a ceiling, for clients with the token. */
export const testShort = sharing((bench) => {
  const flags = [ISOLATED, "--sandbox-scope", bench.scope, "--require-token", ...SHORT, "--log-to-stderr"];
  return HttpServerProcess.start(bench, { flags });
});
