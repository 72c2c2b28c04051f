import assert from "node:assert/strict";
import { parseTemplate } from "./template.ts";
import { shellProblem } from "./parse_action.ts";

function problem(text: string): string | undefined {
  const parsed = parseTemplate(text);
  return parsed.ok ? shellProblem(parsed.value) : assert.fail(parsed.problem);
}

/** Each runs `touch pwned` in bash, where the value is `a[$(touch pwned)]`, that command, or code of the interpreter. */
const READ_AGAIN: readonly string[] = [
  "echo `{{ x }}`",
  'echo "$({{ x }})"',
  "cat <<E\n{{ x }}\nE",
  "(( {{ x }} > 3 )) && echo more",
  "for ((i={{ x }};i<0;i++)); do :; done",
  "echo $[ {{ x }} ]",
  "[[ {{ x }} -gt 3 ]]",
  "y={{ x }}; [[ $y -eq 3 ]]",
  "[[ -v {{ x }} ]]",
  "[ -v {{ x }} ]",
  "test -v {{ x }}",
  "a[{{ x }}]=1",
  "y={{ x }}; echo ${a[y]}",
  "y={{ x }}; echo ${HOME:y}",
  "y={{ x }}; echo ${!y}",
  "y={{ x }}; echo ${y@P}",
  "printf -v {{ x }} 1",
  "read {{ x }} </dev/null",
  "let y={{ x }}",
  "declare -n y={{ x }}; echo $y",
  "trap '{{ x }}' EXIT",
  "mapfile -C {{ x }} -c 1 lines <file",
  "PS4={{ x }}; set -x; :",
  "BASH_ENV={{ x }} make",
  "command eval {{ x }}",
  "'e'val {{ x }}",
  "e\\val {{ x }}",
  'bash -c "{{ x }}"',
  "bash -o pipefail -c 'echo {{ x }}'",
  "find . -exec /bin/sh -ec 'echo {{ x }}' ;",
  "$SHELL -c {{ x }}",
  "echo {{ x }} | sh",
  "echo {{ x }} | bash -s",
  "awk '{{ x }}' file",
  "sed {{ x }} file",
  "python3 -c 'print({{ x }})'",
  "perl -ne '{{ x }}' file",
];

Deno.test("K7 a line that a shell or another interpreter would read a value in once more takes none", () => {
  for (const line of READ_AGAIN) assert.match(problem(line) ?? line, /^A line with .+ takes no values, /);
});

Deno.test("K7 usual lines take values, and lines without values are the author's", () => {
  const usual = [
    "grep -q ready {{ x }} || { echo {{ x }} is not ready; exit 1; }",
    "git commit -m 'please read {{ x }}'",
    "bash scripts/check.sh {{ x }}",
    "npm run test -- {{ x }}",
    "[[ {{ x }} == a* ]] && [ {{ x }} -gt 3 ]",
    "python3 tool.py {{ x }}; python3 -m pytest {{ x }}",
    "ls a[0-9] {{ x }} 2>&1 | sort >out.txt",
    "y={{ x }}; echo ${y:-none}",
    "if test -f {{ x }}; then deno test {{ x }}; fi",
  ];
  for (const line of [...usual, "echo $(date); eval $X"]) assert.equal(problem(line), undefined, line);
});
