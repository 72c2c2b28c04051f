/** T52: workflows of a repository whose author means harm (K7). */
import { BOTH, type Driven, type Row, type Scene } from "../frame/attack.ts";
import { addedTo, NATIVE } from "./server.ts";

/** Outside the scope: `secret` is a file, `planted` is not there. */
interface Outside {
  readonly secret: string;
  readonly planted: string;
}

/** A flow whose states run these actions, one after the other, whatever comes of each; what they give is logged. */
function flow(actions: readonly string[]): string {
  const states = actions.flatMap((_, at) => [`  s${at} --> l${at}: default`, `  l${at} --> s${at + 1}`]);
  const lines = actions.flatMap((action, at) => [`- s${at}: ${action}`, `- l${at}: log "{{ result.content }}"`]);
  const end = `  s${actions.length} --> [*]`;
  return [
    "```mermaid",
    "stateDiagram-v2",
    "  [*] --> s0",
    ...states,
    end,
    "```",
    "## Actions",
    ...lines,
    `- s${actions.length}: log "at the end"`,
  ].join("\n");
}

const ENDLESS =
  '```mermaid\nstateDiagram-v2\n  [*] --> a\n  a --> b\n  b --> c: x == "3"\n  b --> a: default\n  c --> [*]\n```\n' +
  '## Actions\n- a: set x="1"\n- b: set x="2"\n- c: log "never"\n';

/** What a flow may do. */
const WITHIN = ['shell "cat within.md"', 'tool "files_read" with path="within.md"'];

function attempts({ secret, planted }: Outside): readonly string[] {
  return [
    'tool "other_quiet"',
    `tool "files_read" with path="${secret}"`,
    `tool "files_write" with file_path="${planted}" content="x"`,
    `shell "cat ${secret}; echo x > ${planted}"`,
    `tool "sandboxed_shell" with command="cat ${secret}; echo x > ${planted}"`,
    `shell "cat secret.md" with working_directory="${secret.slice(0, secret.lastIndexOf("/"))}"`,
  ];
}

const NAMES = ["all", "endless", "prompts", "away", "link"];

/** What flows of the repository reach. */
async function runs({ running, bench, out, secret: marked }: Scene): Promise<Driven> {
  using _added = addedTo(bench);
  const outside = { secret: `${out}/secret.md`, planted: `${out}/planted` };
  bench.write("within.md", "within 42\n");
  bench.write(".ahma/flows/all.md", flow([...WITHIN, ...attempts(outside)]));
  bench.write(".ahma/flows/endless.md", ENDLESS);
  bench.write(".ahma/flows/prompts.md", flow([`execute prompt "../../..${outside.secret}"`]));
  bench.write(".ahma/flows/away.md", flow([`run workflow "../../..${outside.secret}"`]));
  await Deno.symlink(marked, `${bench.scope}/.ahma/flows/link.md`);
  const answers = [];
  for (const name of [...NAMES, `../../..${outside.secret}`, "list"]) {
    answers.push(await running.call("flow", { flow_name: name, verbose: true }));
  }
  const [all = "", endless = ""] = answers.map(({ text }) => text);
  if (all.split("within 42").length <= WITHIN.length || !all.includes("at the end")) {
    throw new Error(`The flow did not do what it may: ${all}`);
  }
  if (!/failed/.test(endless)) return { answers, achieved: `what has no end goes on: ${endless}` };
  const isCalled = /^info: quiet$/m.test(all);
  return { answers, ...isCalled && { achieved: "a flow called another server, which the client did not" } };
}

export const NATIVE_FLOWS: readonly Row[] = [
  {
    id: "T52",
    title: "workflows of a repository reach what is outside, other servers, or no end",
    users: BOTH,
    alikeForRoot: "what they run are commands and native tools, which root tries in other rows",
    aim: "read",
    ways: {
      "actions, links, names and loops": {
        does: { drive: runs },
        control: ({ secret, out }) => `cat ${secret}; echo x > ${out}/planted`,
        prepare: ({ secret, out }) => Deno.copyFileSync(secret, `${out}/secret.md`),
        sharedServer: NATIVE,
      },
    },
  },
];
