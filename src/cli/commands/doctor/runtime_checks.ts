import { messageOf } from "../../../base/errors.ts";
import { type ProgramForm, programPath, thisForm } from "../../../app/program/own_program.ts";
import { runtimeCache } from "../../../sandbox/grants/runtime_cache.ts";
import { type Check, check } from "../../terminal/check.ts";

interface RuntimeQuestion {
  readonly environment: Readonly<Record<string, string>>;
  /** A program that passes no signals on started the runtime. */
  readonly wrapped: boolean;
}

/** The runtime, the form of the program that it runs, and whether it can keep compiled code. */
export function runtimeChecks({ environment, wrapped }: RuntimeQuestion): readonly Check[] {
  return [runtime(wrapped), ...Deno.build.standalone ? [] : compiledCode(environment)];
}

function runtime(wrapped: boolean): Check {
  const form = thisForm();
  const found = form === "executable"
    ? `deno ${Deno.version.deno} in the executable ${Deno.execPath()}`
    : `deno ${Deno.version.deno}, ${Deno.execPath()}, runs ${FORMS[form]} ${programPath()}`;
  if (!wrapped) return check("runtime", "runtime", "ok", found);
  const between = "started by another program, which passes no signals on: set AHMA_DENO to the runtime's path";
  return check("runtime", "runtime", "warning", `${found}, ${between}`);
}

const FORMS: Readonly<Record<Exclude<ProgramForm, "executable">, string>> = {
  "packed program": "the packed program",
  "sources": "the sources",
};

/** Empty: compiled code can be kept. */
function compiledCode(environment: RuntimeQuestion["environment"]): readonly Check[] {
  const warning = (why: string) => {
    const cost = "each start takes 0.2 s longer. Set DENO_DIR to a writable directory";
    return [check("compiled_code", "compiled code", "warning", `${why}: ${cost}`)];
  };
  const directory = runtimeCache(environment, Deno.cwd());
  if (directory === undefined) return warning("there is no place for it without HOME");
  try {
    // As the runtime does.
    Deno.mkdirSync(directory, { recursive: true });
    Deno.removeSync(Deno.makeTempFileSync({ dir: directory }));
    return [];
  } catch (thrown) {
    return warning(`"${directory}" cannot be written (${messageOf(thrown)})`);
  }
}
