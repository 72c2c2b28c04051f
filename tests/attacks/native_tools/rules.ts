/** T-rows about rules of a repository whose author means harm. */
import { BOTH, type Driven, type Place, type Row, type Scene } from "../frame/attack.ts";
import { addedTo, NATIVE } from "./server.ts";

function rule(head: string, body = "Why.\n"): string {
  return `---\nseverity: error\n${head}\n---\n${body}`;
}

/** What checks every file and says what the file holds. */
const TELLING = rule("match: '.+'\nfix: '$&'");

/** Whether a check says what is outside, or changes it. */
async function checks({ running, bench, secret, out }: Scene): Promise<Driven> {
  using _added = addedTo(bench);
  bench.write("a.txt", "true\n");
  for (const [name, text] of Object.entries(rules({ secret, out }))) bench.write(`.ahma/rules/${name}.md`, text);
  await Deno.symlink(secret, `${bench.scope}/.ahma/rules/link.md`);
  await Deno.symlink(secret, `${bench.scope}/link.txt`);
  await Deno.symlink(out, `${bench.scope}/tree`);
  const first = await running.call("rules_check", { review: "list" });
  const answers = [
    first,
    await running.call("rules_check", { file_paths: [secret, "link.txt", "tree"], review: "list" }),
    await running.call("rules_verdict", { verdicts: [{ review_id: `review:000000000000:${secret}`, pass: true }] }),
    await running.call("rules_list"),
  ];
  // A check that never ran would show nothing.
  for (const name of ["telling", "writes"]) {
    if (!first.text.includes(`a.txt:1:1 error ${name} `)) throw new Error(`The rule "${name}" did not run`);
  }
  return { answers };
}

function rules({ secret, out }: Pick<Place, "secret" | "out">): Readonly<Record<string, string>> {
  return {
    reads: rule(`command: [sed, "s/^/a.txt:1: /", ${secret}]`),
    writes: rule(`command: [sh, -c, "echo x > ${out}/planted; echo a.txt:1: tried"]`),
    telling: TELLING,
    review: rule("title: R"),
    template: rule("title: T", `{% render "${secret}" %}{% include "../../../..${secret}" %}`),
  };
}

export const NATIVE_RULES: readonly Row[] = [
  {
    id: "T41",
    title: "rules of a repository reach what is outside",
    users: BOTH,
    alikeForRoot: "they run in the sandbox of other native tools, which root tries in T01",
    aim: "read",
    ways: {
      "programs, a template, links in place of rules, files and directories": {
        does: { drive: checks },
        control: ({ secret, out }) => `sed "s/^/a.txt:1: /" ${secret}; echo x > ${out}/planted`,
        sharedServer: NATIVE,
      },
    },
  },
];
