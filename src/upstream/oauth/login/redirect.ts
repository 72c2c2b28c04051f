/** Where the browser comes back to. Pure. */
import { UserError } from "../../../base/errors.ts";
import { isLoopbackHost } from "../../../system/network/public_address.ts";
import type { OAuthConfig } from "../oauth_config.ts";

const DEFAULT_PORT = 8080;
const DEFAULT_PATH = "/callback";

/** The address that is registered, and the port that we listen on for it. */
export interface Redirect {
  readonly port: number;
  readonly path: string;
  /** Whether only this port is registered. */
  readonly isFixed: boolean;
  /** The address with the port that the listener got. */
  readonly withPort: (port: number) => string;
}

/**
 * The host is `localhost`, because that is what servers have registered. For an address on another host, a person must
 * bring the answer to this machine.
 * @throws {UserError} when the configured address cannot be used
 */
export function redirectOf({ redirectUri, callbackPort, clientId }: OAuthConfig): Redirect {
  if (redirectUri === undefined) {
    return {
      port: callbackPort ?? DEFAULT_PORT,
      path: DEFAULT_PATH,
      isFixed: callbackPort !== undefined && callbackPort !== 0 || clientId !== undefined,
      withPort: (port) => `http://localhost:${port}${DEFAULT_PATH}`,
    };
  }
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  const isHere = url?.protocol === "http:" && isLoopbackHost(url.hostname);
  if (url === undefined || !isHere && url.protocol !== "https:") {
    throw new UserError(`Cannot use "${redirectUri}" as "redirectUri": it is neither https nor http on localhost`);
  }
  const named = Number(url.port || 80);
  return {
    port: callbackPort ?? (isHere ? named : DEFAULT_PORT),
    path: url.pathname,
    isFixed: true,
    withPort: () => redirectUri,
  };
}
