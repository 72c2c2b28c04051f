/** T52: workflows of a repository whose author means harm (K7). */
import { exists, type Workbench } from "../../_support/workbench.ts";
import { BOTH, type Row, type Way } from "../frame/attack.ts";
import { newMarker } from "../frame/post.ts";
import { behindUs } from "../servers/hostile_server.ts";
import { driven, withServer } from "../frame/stage.ts";

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

const FLAGS = ["--bundles", "flow,files", "--inline-wait", "60000"];

/** The one that shows anything without the sandbox comes first. */
const NAMES = ["all", "endless", "prompts", "away", "link"];

/** What flows of the repository reach; the control is the user, who does the same without them. */
function runs(): Way {
  return {
    does: driven((scene) => {
      const marker = newMarker();
      const outside = { secret: "", planted: "" };
      const prepare = (bench: Workbench) => {
        outside.secret = bench.write(`${bench.elsewhere}/outside/secret.md`, `${marker}\n`);
        outside.planted = `${bench.elsewhere}/outside/planted`;
        bench.write(".ahma/flows/all.md", flow(attempts(outside)));
        bench.write(".ahma/flows/endless.md", ENDLESS);
        bench.write(".ahma/flows/prompts.md", flow([`execute prompt "../../..${outside.secret}"`]));
        bench.write(".ahma/flows/away.md", flow([`run workflow "../../..${outside.secret}"`]));
        Deno.symlinkSync(outside.secret, `${bench.scope}/.ahma/flows/link.md`);
      };
      const flags = (bench: Workbench) => [...FLAGS, ...behindUs({ other: "quiet" })(bench)];
      return withServer(scene, { flags, prepare }, async (server) => {
        const called = async (args: object) => (await server.call("flow", args)).text;
        const texts = [];
        const names = scene.enforced ? [...NAMES, `../../..${outside.secret}`, "list"] : NAMES.slice(0, 1);
        for (const name of names) {
          texts.push(await called({ flow_name: name, verbose: true }));
        }
        const [all = "", endless = ""] = texts;
        if (!all.includes("at the end")) throw new Error(`The flow did not end: ${all}`);
        if (scene.enforced && !/failed/.test(endless)) return `what has no end goes on: ${endless}`;
        if (texts.some((text) => text.includes(marker))) return `a flow says what is outside: ${texts.join("\n")}`;
        if (exists(outside.planted)) return "a flow wrote outside";
        return /^info: quiet$/m.test(all) ? "a flow called another server, which the client did not" : undefined;
      });
    }),
  };
}

export const NATIVE_FLOWS: readonly Row[] = [
  {
    id: "T52",
    title: "workflows of a repository reach what is outside, other servers, or no end",
    users: BOTH,
    alikeForRoot: "what they run are commands and native tools, which root tries in other rows",
    aim: "evidence",
    ways: { "actions, links, names and loops": runs() },
  },
];
