/** R11: programs that read a file on the way to something else, and quote it. */
import { type Attack, BOTH, type Way } from "../frame/attack.ts";
import { extended } from "../frame/stage.ts";

function told(program: string, does: Way["does"]): Way {
  return { does, needs: { programs: [program] }, seconds: 60 };
}

export const READ_WITH_PROGRAMS: Attack = {
  id: "R11",
  title: "programs that quote what they read",
  users: BOTH,
  alikeForRoot: "the programs open files as the shell of R01 does, which root tries",
  aim: "read",
  ways: {
    "git diff --no-index": told("git", ({ secret }) => `git diff --no-index --no-color /dev/null ${secret}`),
    "git config -f": told("git", ({ secret }) => `git config -f ${secret} --list`),
    "gcc -include": told("gcc", ({ secret }) => `gcc -E -include ${secret} -x c /dev/null`),
    "curl file://": told("curl", ({ secret }) => `curl -s file://${secret}`),
    "tar": told("tar", ({ secret }) => `tar -cO ${secret}`),
    "make": told("make", ({ secret }) => `make -f /dev/stdin <<< '$(info $(file < ${secret}))all:'`),
    "bash": ({ secret }) => `bash ${secret}`,
    "node": told("node", ({ secret }) => `node -p "require('fs').readFileSync('${secret}', 'utf8')"`),
    "python as a program": ({ secret }) => `/usr/bin/python3 ${secret}`,
    "ssh -F": told("ssh", ({ secret }) => `ssh -F ${secret} -G host`),
    ...extended({
      "git grep --no-index": told("git", ({ out }) => `cd ${out} && git grep --no-index .`),
      "gcc @": told("gcc", ({ secret }) => `gcc @${secret}`),
      "bash --rcfile": ({ secret }) => `bash --rcfile ${secret} -i -c true`,
      "perl": told("perl", ({ secret }) => `perl -ne print ${secret}`),
      "awk": ({ secret }) => `awk '{ print }' ${secret}`,
      "sed": ({ secret }) => `sed -n p ${secret}`,
      "diff": ({ secret }) => `diff /dev/null ${secret}`,
      "xargs -a": ({ secret }) => `xargs -a ${secret} echo`,
      "sort": ({ secret }) => `sort ${secret}`,
      "date -f": ({ secret }) => `date -f ${secret}`,
      "wc --files0-from": ({ secret }) => `wc --files0-from=${secret}`,
      "node as a module": told("node", ({ secret }) => `node ${secret}`),
      "npm's settings": told("npm", ({ secret }) => `npm --userconfig ${secret} config list`),
      "openssl": told("openssl", ({ secret }) => `openssl enc -base64 -in ${secret} | openssl enc -d -base64`),
      "as --": told("as", ({ secret }) => `as ${secret}`),
      "install": ({ secret }) => `install -m 600 ${secret} stolen`,
      "cargo": told(
        "cargo",
        ({ secret, out }) => `cp -r ${out} tree; cargo metadata --offline --manifest-path ${secret}; true`,
      ),
    }),
  },
};
