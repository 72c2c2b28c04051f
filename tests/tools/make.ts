import type { Row } from "./row.ts";
import type { Trial } from "./trial.ts";

const MAKEFILE =
  `printf 'all: out\\nout: in\\n\\tcp in out && echo made $(HOW)\\nbad:\\n\\tfalse\\n' > Makefile; echo 1 > in`;

/** Each leaf of tools/make.json. */
const ROWS: readonly Row[] = [
  {
    tool: "make",
    setup: MAKEFILE,
    args: { targets: ["out", "HOW=so"], jobs: 2, silent: true, "always-make": true },
    expected: /^made so$/m,
    effect: "cmp in out",
  },
  {
    tool: "make",
    setup: `${MAKEFILE}; mv Makefile other`,
    args: { file: "other", "keep-going": true, targets: ["bad", "out"] },
    fails: true,
    expected: /Error 1$[^]*^made/m,
  },
  {
    tool: "make_plan",
    setup: MAKEFILE,
    args: { targets: ["out"], "always-make": true },
    expected: /^cp in out/m,
    effect: "test ! -e out",
  },
  { tool: "make_question", setup: `${MAKEFILE}; make -s`, args: { targets: ["out"] } },
  { tool: "make_question", setup: MAKEFILE, args: { targets: ["out"] }, fails: true, expected: /exit code 1/ },
  { tool: "make_touch", setup: `${MAKEFILE}; make -s; touch in`, args: { targets: ["out"] }, effect: "make -q" },
];

/** How they are tried. */
export const TRIAL: Trial = {
  rows: ROWS,
  program: "make",
};
