/** W10: programs that write where they are told. */
import { type Attack, BOTH, python, type Way } from "../frame/attack.ts";
import { extended } from "../frame/stage.ts";

const IDENTITY = "-c user.name=x -c user.email=x@example.invalid";

function told(program: string, does: Way["does"]): Way {
  return { does, needs: { programs: [program] }, seconds: 60 };
}

export const WRITE_WITH_PROGRAMS: Attack = {
  id: "W10",
  title: "programs that are told to write outside",
  users: BOTH,
  alikeForRoot: "the programs open files as the shell of W01 does, which root tries",
  aim: "write",
  ways: {
    "git -C": told("git", ({ out }) => `git -C ${out} init -q`),
    "git --separate-git-dir": told("git", ({ out }) => `git init -q --separate-git-dir=${out}/store .`),
    "tar -C": told("tar", ({ out }) => `echo x > planted; tar -c planted | tar -x -C ${out}`),
    "tar -P": told("tar", ({ out }) => `echo x > planted; tar -c planted --transform 's,^,${out}/,' -P | tar -x -P`),
    "cp": ({ out }) => `cp /usr/bin/true ${out}/planted`,
    "sort -o": ({ out }) => `echo x | sort -o ${out}/planted`,
    "sed -i": ({ secret }) => `sed -i s/mark/x/ ${secret}`,
    "rsync": told("rsync", ({ out }) => `echo x > planted; rsync planted ${out}/`),
    "make -C": told(
      "make",
      ({ out }) => `printf 'all:\\n\\techo x > planted\\n' > Makefile; make -C ${out} -f $PWD/Makefile`,
    ),
    "gcc -o": told("gcc", ({ out }) => `echo 'int main(void){return 0;}' > x.c; gcc -o ${out}/planted x.c`),
    "ln -f over a file": ({ out }) => `ln -sf /dev/null ${out}/secret`,
    ...extended({
      "git --work-tree": told(
        "git",
        ({ out }) =>
          `git init -q && echo x > planted && git add . && git ${IDENTITY} commit -qm x && git --work-tree=${out} checkout -f .`,
      ),
      "install": ({ out }) => `install -m 755 /usr/bin/true ${out}/planted`,
      "dd": ({ out }) => `dd if=/dev/zero of=${out}/planted count=1 status=none`,
      "tee": ({ out }) => `echo x | tee ${out}/planted`,
      "python": ({ out }) => python(`open("${out}/planted", "w").write("x")`),
      "node": told("node", ({ out }) => `node -e "require('fs').writeFileSync('${out}/planted', 'x')"`),
      "npm --prefix": told(
        "npm",
        ({ out }) =>
          `mkdir part && echo '{"name":"part","version":"1.0.0"}' > part/package.json && ` +
          `npm install --prefix ${out} --no-audit --no-fund --offline ./part`,
      ),
      "cargo --target-dir": told(
        "cargo",
        ({ out }) =>
          `mkdir src && echo 'fn main() {}' > src/main.rs && printf '[package]\\nname = "x"\\nversion = "0.1.0"\\n' > Cargo.toml && ` +
          `cargo check --offline -q --target-dir ${out}/target`,
      ),
      "curl -o": told("curl", ({ out }) => `echo x > mine; curl -s -o ${out}/planted file://$PWD/mine`),
      "perl": told("perl", ({ out }) => `perl -e 'open(F, ">", "${out}/planted"); print F "x"'`),
      "awk": ({ out }) => `awk 'BEGIN { print "x" > "${out}/planted" }'`,
      "split": ({ out }) => `echo x | split - ${out}/planted`,
    }),
  },
};
