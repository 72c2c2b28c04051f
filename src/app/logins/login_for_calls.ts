/** The login that a call of a server's tool leads to (O5): in the user's browser, one at a time on this machine. */
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { logIn, type Person } from "../../upstream/oauth/login/login.ts";
import { type OAuthConfig, serverAddress } from "../../upstream/oauth/oauth_config.ts";
import type { LoginFiles } from "../../upstream/oauth/store/login_files.ts";
import type { Challenge, LogInAgain } from "../../upstream/oauth/token_source.ts";
import { hasBrowser, openBrowser } from "./open_browser.ts";

/** How long a person may take, milliseconds. */
const LOGIN_MS = 300_000;

export interface CallLogins {
  readonly config: OAuthConfig;
  readonly files: LoginFiles;
  readonly environment: Readonly<Record<string, string>>;
  /** Whether a tool of the server is being called now. */
  readonly isCalled: () => boolean;
  /** Ends a login. */
  readonly stop: AbortSignal;
  readonly log: Logger;
}

/** Logs in while a tool is called and the user has a browser; a failure is logged. */
export function loginForCalls(parts: CallLogins): LogInAgain {
  return (challenge) => {
    return parts.isCalled() && hasBrowser(parts.environment) ? loggedIn(parts, challenge) : undefined;
  };
}

async function loggedIn(parts: CallLogins, challenge: Challenge): Promise<boolean> {
  const { config, files, log, stop } = parts;
  const server = serverAddress(config.url);
  try {
    const before = await files.stamp(server);
    const done = await files.underLoginLock(LOGIN_MS, async () => {
      // Another process may have asked the person in the meantime.
      if (await files.stamp(server) !== before) return;
      const wider = challenge.isStepUp === true ? { ...config, scopes: undefined } : config;
      const request = { config: wider, challenge, timeoutMs: LOGIN_MS, stop };
      await logIn(request, { files, person: personAtBrowser(parts), now: () => Date.now() });
      log.info("Logged in", { server });
    });
    return done !== undefined;
  } catch (thrown) {
    log.warn("A login failed", { server, problem: messageOf(thrown) });
    return false;
  }
}

/** There is no terminal. Only the person may see the page's address, so it is not logged. */
function personAtBrowser({ environment, log }: CallLogins): Person {
  return {
    tell(text) {
      log.info(text);
      return Promise.resolve();
    },
    openBrowser(url) {
      const problem = openBrowser(url, environment);
      if (problem !== undefined) log.warn(problem);
      return Promise.resolve(problem === undefined);
    },
    pasted: () => Promise.withResolvers<never>().promise,
  };
}
