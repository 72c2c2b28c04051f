/** Scenarios of the official suite whose client is not the command that the suite starts, but here. */
import { until } from "../_support/deadline.ts";
import { exists } from "../_support/workbench.ts";

/** What client_command.sh writes of a scenario into a file. */
export interface Scenario {
  readonly name: string;
  readonly url: string;
  readonly context: null | {
    readonly client_id?: string;
    readonly client_secret?: string;
    readonly private_key_pem?: string;
    readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
  };
}

/** Waits for the files of these scenarios in `lanes`, does what `act` does, and lets their commands end. */
export async function actInPlace(
  lanes: string,
  names: readonly string[],
  act: (scenarios: readonly Scenario[]) => Promise<void>,
): Promise<void> {
  const written = () => names.filter((one) => exists(`${lanes}/${one}.json`));
  try {
    // The suite begins all its scenarios at once.
    await until(() => written().length === names.length, 30_000, `the scenarios ${names.join(", ")}`);
    await act(names.map((name) => ({ name, ...JSON.parse(Deno.readTextFileSync(`${lanes}/${name}.json`)) })));
  } finally {
    for (const one of written()) await Deno.writeTextFile(`${lanes}/${one}.end`, "end\n");
  }
}
