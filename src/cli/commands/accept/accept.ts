/** `accept` (S24): a person lets git see a repository that a command made, after a look at what git would obey of it. */
import { openPutBack } from "../../../app/repositories/open_put_back.ts";
import { shorten } from "../../../base/visible_text.ts";
import type { Aside, Judged } from "../../../process/linux/git_config/put_back.ts";
import { absolutePath, realPath } from "../../../system/paths.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { confirmPutBack, print, printProblem } from "../../terminal/print.ts";

const LONGEST_LINE = 200;

/** Exit code 1: something was not put back. @throws {UserError} on macOS, or without git */
export async function accept({ operands, flags, environment }: CommandContext): Promise<number> {
  using opened = openPutBack(environment);
  const directory = realPath(".") ?? "/";
  if (operands.length === 0) {
    const paths = opened.around(directory);
    await print(paths.length === 0 ? "Nothing is set aside here\n" : paths.map((path) => `${shown(path)}\n`).join(""));
    return 0;
  }
  let code = 0;
  for (const given of operands) {
    const found = opened.find(absolutePath(given, directory));
    if (found.length === 0) {
      await printProblem(`Cannot accept "${given}": nothing is set aside there. ahma_mcp accept lists what is`);
      code = 1;
    }
    for (const aside of found) {
      const judged = await opened.judge(aside);
      await print(description(aside, judged));
      const isWanted = flags.has("yes") || confirmPutBack();
      const isBack = isWanted && await opened.putBack(aside, judged);
      if (!isBack) code = 1;
      if (isWanted) await print(isBack ? `Put back: ${shown(aside.path)}\n` : "Not put back: commands changed it\n");
    }
  }
  return code;
}

function description({ path }: Aside, { obeyed, config }: Judged): string {
  const lines = obeyed.map(({ name }) => {
    const values = config?.get(name)?.map((value) => value ?? "true");
    return `  ${shown(values === undefined ? name : `${name} = ${values.join(", ")}`)}\n`;
  });
  const lead = lines.length === 0 ? "is plain: git outside runs nothing for it" : "makes git outside obey";
  return `${shown(path)} ${lead}\n${lines.join("")}`;
}

/** Names come from commands. */
function shown(text: string): string {
  return shorten(text, LONGEST_LINE);
}
