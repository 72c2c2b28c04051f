/** T-rows about rules of a repository whose author means harm. */
import { exists, type Workbench } from "../../_support/workbench.ts";
import { BOTH, type Row, type Way } from "../frame/attack.ts";
import { newMarker } from "../frame/post.ts";
import { driven, withServer } from "../frame/stage.ts";

interface Outside {
  readonly secret: string;
  /** It is not there. */
  readonly planted: string;
}

function rule(head: string, body = "Why.\n"): string {
  return `---\nseverity: error\n${head}\n---\n${body}`;
}

/** What checks every file and says what the file holds. */
const TELLING = rule("match: '.+'\nfix: '$&'");

/** Whether a check says what is outside, or changes it. Without the sandbox a program of a rule may do both. */
function checks(): Way {
  return {
    aim: "evidence",
    does: driven((scene) => {
      const marker = newMarker();
      const place = { secret: "", planted: "" };
      const prepare = (bench: Workbench) => {
        place.secret = bench.write(`${bench.elsewhere}/outside/secret.md`, `${marker}\n`);
        place.planted = `${bench.elsewhere}/outside/planted`;
        bench.write("a.txt", "true\n");
        const rules = { ...programs(place), ...scene.enforced && templates(place) };
        for (const [name, text] of Object.entries(rules)) bench.write(`.ahma/rules/${name}.md`, text);
        if (!scene.enforced) return;
        Deno.symlinkSync(place.secret, `${bench.scope}/.ahma/rules/link.md`);
        Deno.symlinkSync(place.secret, `${bench.scope}/link.txt`);
        Deno.symlinkSync(`${bench.elsewhere}/outside`, `${bench.scope}/tree`);
      };
      return withServer(
        scene,
        { flags: () => ["--bundles", "rules", "--inline-wait", "60000"], prepare },
        async (server) => {
          const answers = [
            await server.call("rules_check", { review: "list" }),
            await server.call("rules_check", { file_paths: [place.secret, "link.txt", "tree"], review: "list" }),
            await server.call("rules_verdict", {
              verdicts: [{ review_id: `review:000000000000:${place.secret}`, pass: true }],
            }),
            await server.call("rules_list"),
          ];
          const isSaid = answers.some(({ text }) => text.includes(marker)) || server.stderr.includes(marker);
          if (isSaid) return "a check said what is outside";
          // A check that never ran would show nothing.
          for (const name of scene.enforced ? ["telling", "writes"] : ["writes"]) {
            if (!answers[0]?.text.includes(`a.txt:1:1 error ${name} `)) {
              throw new Error(`The rule "${name}" did not run`);
            }
          }
          return exists(place.planted) ? "a rule wrote outside" : undefined;
        },
      );
    }),
  };
}

function templates({ secret }: Outside): Readonly<Record<string, string>> {
  return {
    telling: TELLING,
    review: rule("title: R"),
    template: rule("title: T", `{% render "${secret}" %}{% include "../../../..${secret}" %}`),
  };
}

function programs({ secret, planted }: Outside): Readonly<Record<string, string>> {
  return {
    reads: rule(`command: [sed, "s/^/a.txt:1: /", ${secret}]`),
    writes: rule(`command: [sh, -c, "echo x > ${planted}; echo a.txt:1: tried"]`),
  };
}

export const NATIVE_RULES: readonly Row[] = [
  {
    id: "T41",
    title: "rules of a repository reach what is outside",
    users: BOTH,
    alikeForRoot: "they run in the sandbox of other native tools, which root tries in T01",
    aim: "evidence",
    ways: { "programs, a template, links in place of rules, files and directories": checks() },
  },
];
