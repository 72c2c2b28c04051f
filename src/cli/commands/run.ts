/** Maps the name of a subcommand to its implementation. */
import type { Subcommand } from "../../settings/flags/subcommands.ts";
import { serve } from "../serve/serve.ts";
import { call } from "./call/call.ts";
import { completions } from "./completions/completions.ts";
import type { CommandContext } from "../terminal/command_context.ts";
import { doctor } from "./doctor/doctor.ts";
import { init } from "./init/init.ts";
import { listTools } from "./list_tools/list_tools.ts";
import { schema } from "./schema.ts";
import { validate } from "./validate/validate.ts";

/**
 * Runs a subcommand; resolves with the exit code.
 * @throws {UserError} when it is refused, {UsageError} when its words are wrong
 */
export async function runSubcommand(name: Exclude<Subcommand, "help">, context: CommandContext): Promise<number> {
  switch (name) {
    case "serve":
      return await serve(context);
    case "list-tools":
      return await listTools(context);
    case "validate":
      return await validate(context);
    case "schema":
      return await schema(context);
    case "call":
      return await call(context);
    case "doctor":
      return await doctor(context);
    case "init":
      return await init(context);
    case "completions":
      return await completions(context);
  }
}
