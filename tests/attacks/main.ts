/**
 * `deno task attacks`: runs the catalogue against the packed program, as every user at hand, and prints a table.
 * `--only W01,R*` chooses rows, `--user root|ordinary` a user, `--flag=--strict` (as often as you like) adds to what the
 * sandboxed servers are started with, `--races` tries every way of the races, `--json` prints one JSON document. Exit code 0: nothing was allowed but what docs/security.md lists, and every positive control had its effect.
 */
import { parseArgs } from "node:util";
import { usersAtHand } from "../_support/workbench.ts";
import { chosenRows } from "./catalogue.ts";
import { Range } from "./range.ts";
import { raceTable, rowText, succeeded, totals } from "./report.ts";
import { type RowResult, runAttack } from "./run_attack.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: {
    only: { type: "string" },
    user: { type: "string" },
    flag: { type: "string", multiple: true },
    races: { type: "boolean" },
    json: { type: "boolean" },
  },
});
const json = values.json === true;
const colour = Deno.stdout.isTerminal() && !Deno.noColor;
const rows = chosenRows(values.only?.split(",") ?? []);
const users = usersAtHand().filter((user) => values.user === undefined || user === values.user);
if (users.length === 0) throw new Error(`Cannot run as "${values.user}": at hand are ${usersAtHand().join(", ")}`);

const results: (RowResult & { readonly milliseconds: number })[] = [];
for (const user of users) {
  await using range = new Range(user, {
    ...values.flag !== undefined && { flags: values.flag },
    extended: values.races === true,
  });
  for (const row of rows) {
    const startedAt = performance.now();
    const result = { ...await runAttack(row, range), milliseconds: Math.round(performance.now() - startedAt) };
    results.push(result);
    if (!json) print(rowText(result, { colour }));
  }
}
const ok = succeeded(results);
print(json ? JSON.stringify({ ok, rows: results }, null, 2) : `${raceTable(results)}${totals(results)}`);
Deno.exitCode = ok ? 0 : 1;

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}
