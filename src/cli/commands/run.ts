/** Maps the name of a subcommand to its implementation; the server itself needs none of them. */
import type { Subcommand } from "../../settings/flags/subcommands.ts";
import { accept } from "./accept/accept.ts";
import { attach } from "./operations/attach.ts";
import { audit } from "./audit/audit.ts";
import { auth } from "./auth/auth.ts";
import { checkAccess } from "./check_access/check_access.ts";
import { cache } from "./cache/cache.ts";
import { call } from "./call/call.ts";
import { completions } from "./completions/completions.ts";
import type { CommandContext } from "../terminal/command_context.ts";
import { dashboard } from "./dashboard/dashboard.ts";
import { doctor } from "./doctor/doctor.ts";
import { grants } from "./grants/grants.ts";
import { kill } from "./operations/kill.ts";
import { logs } from "./operations/logs.ts";
import { ps } from "./operations/ps.ts";
import { init } from "./init/init.ts";
import { listTools } from "./list_tools/list_tools.ts";
import { prompts } from "./prompts/prompts.ts";
import { rules } from "./rules/rules.ts";
import { uninstall } from "./uninstall/uninstall.ts";
import { servers } from "./servers/servers.ts";
import { migrate } from "./migrate/migrate.ts";
import { undo } from "./undo/undo.ts";
import { validate } from "./validate/validate.ts";
import { version } from "./version/version.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import { mtdfSchemaText } from "../../catalog/format/mtdf.ts";
import { print, printProblem } from "../terminal/print.ts";

type Run = (context: CommandContext) => Promise<number>;

/** Each resolves with its exit code. @throws {UserError} when refused, {UsageError} for wrong words */
export const RUN_SUBCOMMAND: Readonly<Record<Exclude<Subcommand, "help" | "serve">, Run>> = {
  "list-tools": listTools,
  validate,
  schema,
  call,
  attach,
  ps,
  logs,
  kill,
  audit,
  dashboard,
  doctor,
  init,
  uninstall,
  migrate,
  accept,
  undo,
  cache,
  "check-access": checkAccess,
  grants,
  auth,
  servers,
  prompts,
  rules,
  completions,
  version,
};

/** Prints the JSON Schema of tool files, or writes it to the files of `--write` (requirement L4). */
async function schema({ flags }: CommandContext): Promise<number> {
  const files = flags.get("write");
  if (files === undefined) await print(mtdfSchemaText());
  for (const file of files ?? []) {
    try {
      await Deno.writeTextFile(file, mtdfSchemaText());
    } catch (thrown) {
      throw new UserError(`Cannot write the schema to "${file}": ${messageOf(thrown)}`, { cause: thrown });
    }
    await printProblem(`Wrote ${file}`);
  }
  return 0;
}
