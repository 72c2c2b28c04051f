/** Logins to servers of the suite: what `auth login` does without its words, with a browser that follows the pages. */
import { userLoginFiles } from "../../src/app/logins/login_files.ts";
import { SILENT } from "../../src/base/log.ts";
import { askServer } from "../../src/upstream/oauth/login/ask_server.ts";
import { logIn } from "../../src/upstream/oauth/login/login.ts";
import { visit } from "../_support/login/login.ts";
import { Workbench } from "../_support/workbench.ts";
import type { Scenario } from "./scenarios.ts";

/** Logs in to each; the suite says afterwards which of these logins should have failed. */
export async function logInToAll(scenarios: readonly Scenario[]): Promise<void> {
  using bench = new Workbench();
  for (const one of scenarios) await Promise.allSettled([logInTo(bench, one)]);
}

/** Logs in as the client that the suite registered where it did. @throws {UserError} when that fails */
export async function logInTo(bench: Workbench, { url: address, context }: Scenario): Promise<void> {
  const url = new URL(address);
  const config = {
    url,
    callbackPort: 0,
    clientId: context?.client_id,
    clientSecret: context?.client_secret,
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
  };
  let visited: Promise<unknown> | undefined;
  const person = {
    tell: () => Promise.resolve(),
    openBrowser(page: URL) {
      visited = Promise.allSettled([visit(page)]);
      return Promise.resolve(visited !== undefined);
    },
    pasted: () => Promise.withResolvers<never>().promise,
  };
  const stop = new AbortController().signal;
  const request = { config, challenge: await askServer(url, stop), timeoutMs: 60_000, stop };
  try {
    await logIn(request, { files: userLoginFiles({ HOME: bench.home }, SILENT), person, now: () => Date.now() });
  } finally {
    await visited;
  }
}
