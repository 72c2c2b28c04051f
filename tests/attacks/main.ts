/**
 * `deno task attacks`: runs the catalogue against the packed program, as every user at hand, and prints a table.
 * `--only W01,R*` chooses rows, `--user root|ordinary` a user, `--sandboxes used|started|fresh` those that served other
 * commands, the same with a shell started for each line, or those that serve one each (default: one after the other), `--flag=--strict` (as often as you like) adds to what the
 * sandboxed servers are started with, `--without-namespaces` has the system refuse them namespaces, `--races` tries every
 * way of the races, `--json` prints one JSON document. Exit code 0: nothing was allowed but what docs/security.md lists,
 * and every positive control had its effect.
 */
import { parseArgs } from "node:util";
import { usersAtHand } from "../_support/workbench.ts";
import { chosenRows } from "./catalogue.ts";
import { Range } from "./frame/range.ts";
import { raceTable, rowText, succeeded, totals } from "./frame/report.ts";
import { type RowResult, runAttack } from "./frame/run_attack.ts";
import { REFUSING_NAMESPACES } from "./means/unusual_start.ts";

const { values } = parseArgs({
  args: Deno.args,
  options: {
    only: { type: "string" },
    user: { type: "string" },
    sandboxes: { type: "string" },
    flag: { type: "string", multiple: true },
    "without-namespaces": { type: "boolean" },
    races: { type: "boolean" },
    json: { type: "boolean" },
  },
});
const json = values.json === true;
const colour = Deno.stdout.isTerminal() && !Deno.noColor;
const rows = chosenRows(values.only?.split(",") ?? []);
const users = usersAtHand().filter((user) => values.user === undefined || user === values.user);
if (users.length === 0) throw new Error(`Cannot run as "${values.user}": at hand are ${usersAtHand().join(", ")}`);

/** Flags by whether a sandbox served other commands before a row's. */
const SANDBOXES = { used: [], started: ["--shell-fork=off"], fresh: ["--no-reuse"] } as const;
const turns = Object.entries(SANDBOXES).filter(([name]) => values.sandboxes === undefined || name === values.sandboxes);
if (turns.length === 0) {
  throw new Error(`Cannot attack "${values.sandboxes}" sandboxes: there are used, started and fresh ones`);
}

const results: (RowResult & { readonly sandboxes: string; readonly milliseconds: number })[] = [];
for (const user of users) {
  for (const [sandboxes, flags] of turns) {
    if (!json) print(`As ${user}, in ${sandboxes} sandboxes:`);
    await using range = new Range(user, {
      flags: [...flags, ...values.flag ?? []],
      prefix: values["without-namespaces"] === true ? REFUSING_NAMESPACES.prefix : [],
      extended: values.races === true,
    });
    for (const row of rows) {
      const startedAt = performance.now();
      const result = await runAttack(row, range);
      results.push({ ...result, sandboxes, milliseconds: Math.round(performance.now() - startedAt) });
      if (!json) print(rowText(result, { colour }));
    }
  }
}
const ok = succeeded(results);
print(json ? JSON.stringify({ ok, rows: results }, null, 2) : `${raceTable(results)}${totals(results)}`);
Deno.exitCode = ok ? 0 : 1;

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}
