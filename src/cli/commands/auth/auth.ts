/** `auth` (O4): the logins to other servers, which are listed, made and ended here. */
import { UsageError, UserError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { SILENT } from "../../../base/log.ts";
import { userLoginFiles } from "../../../app/logins/login_files.ts";
import { logIn } from "../../../upstream/oauth/login/login.ts";
import { type OAuthConfig, serverAddress } from "../../../upstream/oauth/oauth_config.ts";
import { revoke } from "../../../upstream/oauth/revoke.ts";
import type { LoginFiles } from "../../../upstream/oauth/store/login_files.ts";
import { askServer } from "../../../upstream/oauth/login/ask_server.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { print, printProblem } from "../../terminal/print.ts";
import { loginTarget } from "./login_target.ts";
import { loginLines, loginsAsJson } from "./login_lines.ts";
import { personAtTerminal } from "./person.ts";

const DEFAULT_SECONDS = 300;

/** Resolves with the exit code. @throws {UserError} when it fails, {UsageError} when the words are wrong */
export async function auth(context: CommandContext): Promise<number> {
  const [action, named] = context.operands;
  const files = userLoginFiles(context.environment, tellingLog());
  switch (action) {
    case "list":
      if (named !== undefined) throw new UsageError(`Cannot list "${named}" alone: auth list names every login`);
      return await list(files, context);
    case "login":
      return await login(files, context, await loginTarget(context));
    case "logout":
      return await logout(files, (await loginTarget(context)).url);
    default:
      throw new UsageError(
        'Say what to do: "auth list", "auth login SERVER" or "auth logout SERVER", by address or name',
      );
  }
}

async function list(files: LoginFiles, { flags }: CommandContext): Promise<number> {
  const logins = await files.list();
  if (flags.has("json")) await print(loginsAsJson(logins, Date.now()));
  else if (logins.length === 0) await print("There is no login. Make one: ahma_mcp auth login ADDRESS\n");
  else await print(loginLines(logins, Date.now()));
  return 0;
}

async function login(files: LoginFiles, { flags, environment, stop }: CommandContext, config: OAuthConfig) {
  const seconds = Number(flags.get("oauth-timeout")?.[0] ?? DEFAULT_SECONDS);
  const challenge = await askServer(config.url, stop);
  const person = personAtTerminal(environment);
  const { tokens } = await logIn(
    { config, challenge, timeoutMs: seconds * 1000, stop },
    { files, person, now: () => Date.now() },
  );
  const scopes = tokens.scope === undefined ? "" : `, with the scopes ${tokens.scope}`;
  await printProblem(`Logged in to "${serverAddress(config.url)}"${scopes}`);
  return 0;
}

async function logout(files: LoginFiles, url: URL): Promise<number> {
  const address = serverAddress(url);
  const login = (await files.read(address))?.login;
  if (login === undefined) throw new UserError(`There is no login to "${address}". See: ahma_mcp auth list`);
  const revoked = await revoke(login);
  await files.remove(address);
  const there = {
    revoked: "The server revoked the tokens",
    unsupported: "The server cannot revoke tokens: they expire",
    failed:
      `The server did not take the tokens back${revoked.kind === "failed" ? ` (${revoked.problem})` : ""}: they ` +
      "end by themselves",
  }[revoked.kind];
  await printProblem(`Logged out of "${address}". ${there}`);
  return 0;
}

/** Warnings go to the person; there is nothing else to log. */
function tellingLog(): Logger {
  return { ...SILENT, warn: (message) => void printProblem(`Warning: ${message}`) };
}
