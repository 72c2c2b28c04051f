/** `list-tools` (L2): our tools as clients get them, or those of a third-party server (in the sandbox, S3). */
import type { Tool } from "@modelcontextprotocol/server";
import { UsageError } from "../../../base/errors.ts";
import { reasonOf } from "../../../catalog/load/availability.ts";
import type { UnavailableTool } from "../../../catalog/model/leaf.ts";
import { describeDiagnostic } from "../../../base/diagnostic.ts";
import { toolList } from "../../../service/connection/tool_list.ts";
import { shorten } from "../../../base/visible_text.ts";
import { startInSandboxOf } from "../../../app/http/http_services.ts";
import { insistOnNetwork } from "../../../app/program/own_program.ts";
import { userLoginFiles } from "../../../app/logins/login_files.ts";
import { serverAddress } from "../../../upstream/oauth/oauth_config.ts";
import { TokenSource } from "../../../upstream/oauth/token_source.ts";
import { transportAuth } from "../../../upstream/oauth/transport_auth.ts";
import { openHttpLink } from "../../../upstream/link/http_link.ts";
import { serverFetch } from "../../../upstream/link/server_fetch.ts";
import { openStdioLink } from "../../../upstream/link/stdio_link.ts";
import { colours } from "../../terminal/colours.ts";
import { compose } from "../../../app/compose_service.ts";
import { mayColour, print, printProblem, terminalWidth } from "../../terminal/print.ts";
import { NO_SANDBOX_SERVER, openRunLog } from "../../terminal/run_log.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { type ListingLimits, listOther, type OtherServer } from "./remote_tools.ts";
import { toolLines, toolTable } from "./tool_table.ts";

/** Default time for each answer of a server, milliseconds. */
const SILENCE_MS = 10_000;
/** Characters of a line about unavailable tools. */
const LONGEST_LINE = 200;

interface Listing {
  readonly tools: readonly Tool[];
  readonly unavailable: readonly UnavailableTool[];
  /** Name that the third-party server gives; undefined: the tools are ours. */
  readonly server?: { readonly name: string; readonly version: string } | undefined;
}

/** Lists the tools; resolves with the exit code. */
export async function listTools(context: CommandContext): Promise<number> {
  const { operands, flags, environment } = context;
  const url = flags.get("http")?.[0];
  if (url !== undefined && operands.length > 0) {
    throw new UsageError('Cannot use "--http" together with a command: choose one server');
  }
  if (flags.has("no-sandbox-server") && operands.length === 0) {
    throw new UsageError('Cannot use "--no-sandbox-server" without a command after "--"');
  }
  const listing = url !== undefined
    ? await overHttp(url, context)
    : operands.length > 0
    ? await overStdio(context)
    : await ours(context);
  if (flags.has("json")) {
    await print(`${JSON.stringify(listing, null, 2)}\n`);
    return 0;
  }
  const width = terminalWidth();
  await print(
    width === undefined
      ? toolLines(listing.tools)
      : toolTable(listing.tools, { width, colours: colours(mayColour(environment)) }),
  );
  for (const one of listing.unavailable) {
    const more = one.names.length > 1 ? ` and ${one.names.length - 1} more` : "";
    await printProblem(shorten(`Not available: ${one.names[0]}${more}: ${reasonOf(one)}`, LONGEST_LINE));
  }
  return 0;
}

async function ours({ settings, warnings, environment }: CommandContext): Promise<Listing> {
  await using log = openRunLog({ settings, warnings, environment });
  const composing = { settings: { ...settings, pool: false, hotReload: false }, environment, log: log.logger };
  await using program = await compose(composing);
  log.start();
  const catalog = await program.checkedTools();
  for (const diagnostic of catalog.diagnostics) {
    // So is what the server's list keeps from a tool, although the tool is there.
    if (diagnostic.severity === "error" || diagnostic.pointer.endsWith("/network")) {
      await printProblem(describeDiagnostic(diagnostic));
    }
  }
  return {
    tools: (await toolList(program.service)()).plain,
    unavailable: catalog.unavailable ?? [],
  };
}

/** The limit for an answer is shorter than for a command: `--timeout` if given, otherwise a short time. */
function answerLimits({ flags, settings, stop }: CommandContext): ListingLimits {
  return { timeoutMs: flags.has("timeout") ? settings.timeoutSeconds * 1000 : SILENCE_MS, stop };
}

async function overStdio(context: CommandContext): Promise<Listing> {
  const { operands, environment, flags } = context;
  const open = flags.has("no-sandbox-server");
  const sandbox = { ...context.settings.sandbox, ...open && { enforce: false } };
  const settings = { ...context.settings, pool: false, hotReload: false, sandbox };
  const warnings = open ? [...context.warnings, NO_SANDBOX_SERVER] : context.warnings;
  await using log = openRunLog({ settings, warnings, environment });
  await using program = await compose({ settings, environment, log: log.logger });
  log.start();
  const limits = answerLimits(context);
  const start = startInSandboxOf(program, { argv: operands, log: log.logger });
  const server: OtherServer = {
    name: `"${operands.join(" ")}"`,
    open: (hooks) =>
      openStdioLink({ start, roots: [], startSeconds: 2 * limits.timeoutMs / 1000, mostStarts: 1 }, hooks),
  };
  return { ...await listOther(server, limits, log.logger), unavailable: [] };
}

async function overHttp(text: string, context: CommandContext): Promise<Listing> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new UsageError(`Cannot use flag "--http": "${text}" is not an http:// or https:// address`);
  }
  await insistOnNetwork(url.host, "connect to");
  const { environment, settings, warnings } = context;
  await using log = openRunLog({ settings, warnings, environment });
  const serverUrl = serverAddress(url);
  const tokens = new TokenSource({
    files: userLoginFiles(environment, log.logger),
    serverUrl,
    loginHint: `ahma_mcp auth login ${serverUrl}`,
    now: () => Date.now(),
    log: log.logger,
  });
  const spec = { url: { text: url.href, shown: url.href }, headers: {}, transport: "streamable" } as const;
  const auth = transportAuth(tokens, serverFetch);
  const server: OtherServer = {
    name: `"${url.href}"`,
    open: (hooks) => openHttpLink({ spec, auth, instance: undefined }, hooks),
  };
  return { ...await listOther(server, answerLimits(context), log.logger), unavailable: [] };
}
