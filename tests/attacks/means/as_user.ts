/** Programs that tests start outside the sandbox as the user whose server is attacked. */
import { ORDINARY_ID, type User, type Workbench } from "../../_support/workbench.ts";

/** The words that run `line` as the user, from this test run. */
export function asUser(user: User, line: readonly [string, ...string[]]): readonly [string, ...string[]] {
  if (user !== "ordinary" || Deno.uid() !== 0) return line;
  return ["setpriv", `--reuid=${ORDINARY_ID}`, `--regid=${ORDINARY_ID}`, "--clear-groups", ...line];
}

/** What a line of the user's own prints, in the scope. */
export async function own(
  { user }: { readonly user: User },
  { home, scope }: Pick<Workbench, "home" | "scope">,
  line: string,
): Promise<string> {
  const [program, ...args] = asUser(user, ["bash", "-c", line]);
  const env = { PATH: Deno.env.get("PATH") ?? "", HOME: home };
  const { stdout } = await new Deno.Command(program, { args, cwd: scope, clearEnv: true, env }).output();
  return new TextDecoder().decode(stdout);
}
