/** The server that rows about native tools share. */
import type { Workbench } from "../../_support/workbench.ts";
import type { ServerSetting } from "../frame/attack.ts";
import { behindUs } from "../servers/hostile_server.ts";

/** Controls are lines of the shell, which these flags leave alone. */
export const NATIVE: ServerSetting = {
  flags: (bench) => [
    ...["--bundles", "files,files_patch,issues,memos,todo,question,rules,flow", "--inline-wait", "60000"],
    ...behindUs({ other: "quiet" })(bench),
  ],
  lists: ["other_quiet"],
  plainControl: true,
};

/** Takes away at its end what an attempt has added to the top of the scope, which it shares with others. */
export function addedTo({ scope }: Pick<Workbench, "scope">): Disposable {
  const names = () => Array.from(Deno.readDirSync(scope), ({ name }) => name);
  const before = names();
  return {
    [Symbol.dispose]() {
      for (const name of names()) if (!before.includes(name)) Deno.removeSync(`${scope}/${name}`, { recursive: true });
    },
  };
}
