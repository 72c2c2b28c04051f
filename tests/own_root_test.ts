/**
 * The root of commands (S8) and their pseudo-terminals (S23): what is granted is there at its own path, whatever links lead
 * there, and nothing else exists. Each denial has its control without a sandbox. Programs that make Unix sockets, terminals
 * and temporary files of their own run there (S5, S6, S23).
 */
import assert from "node:assert/strict";
import { asUser, own } from "./attacks/means/as_user.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { compile, HAS_COMPILER, NO_COMPILER } from "./_support/kernel/compiled.ts";
import { until } from "./_support/deadline.ts";
import { missingPrograms } from "./_support/programs_at_hand.ts";
import { exists, type User, usersAtHand, withUsersInTurn, Workbench } from "./_support/workbench.ts";

/** What a terminal of another program's looks like from inside; prints 42 where it is reached. */
function reachTerminal(path: string): string {
  return `/usr/bin/python3 -I -c "import os; os.close(os.open('${path}', os.O_RDWR | os.O_NOCTTY)); print(6 * 7)"`;
}

for (const user of usersAtHand()) {
  Deno.test(`S5 S6 S8 S23 a command sees what is granted at its own path, has pseudo-terminals of its own, and reaches nothing else of the machine, as ${user}`, async (t) => {
    using bench = new Workbench(user);
    const { elsewhere, home, parent, scope } = bench;
    bench.write(`${elsewhere}/granted/file`, "granted");
    bench.write(`${elsewhere}/closed/file`, "closed");
    bench.write(`${parent}/beside`, "closed");
    for (const name of ["over", "decoy"]) bench.write(`${elsewhere}/${name}/deep/file`, `in ${name}`);
    await Deno.symlink(elsewhere, `${parent}/way`);
    const flags = ["--read", `${parent}/way/granted`, "--read", `${elsewhere}/over/deep`];
    const granted = [scope, home, `${elsewhere}/granted/file`, `${parent}/way/granted/file`, "/bin/sh", "/etc/passwd"];
    const closed = [
      `${elsewhere}/closed`,
      `${parent}/beside`,
      "/etc/shadow",
      "/sys/kernel",
      "/boot",
      "/proc/1/root/srv/x",
    ];
    const look = `for p in ${
      [...granted, ...closed].join(" ")
    }; do stat -L $p >/dev/null 2>&1 && echo "there $p"; done; true`;
    const seen = (text: string) => [...text.matchAll(/^there (.+)$/gm)].map(([, path]) => path);
    await using server = await ServerProcess.start(bench, { flags });
    assert.deepStrictEqual(seen((await server.shell(look)).text), granted);
    const facts = await server.shell(
      `cd .. && pwd && cd - >/dev/null && pwd -P && cat ${parent}/way/granted/file && echo x > /dev/null && ` +
        "head -c 2 /dev/zero | wc -c && echo out > /dev/stdout && readlink /dev/fd",
    );
    assert.match(facts.text, new RegExp(`^${parent}\n${scope}\ngranted2\nout\n/proc/self/fd$`, "m"));
    const changes = await server.shell(
      `mkdir /new ${home}/new; chmod 700 / /dev/null ${elsewhere}/granted; rm /bin; true`,
    );
    assert.deepStrictEqual(changes.text.match(/Read-only file system/g)?.length, 6, changes.text);
    const deep = `cat ${elsewhere}/over/deep/file; true`;
    assert.match((await server.shell(deep)).text, /^in over/);
    await Deno.rename(`${elsewhere}/over`, `${elsewhere}/over-away`);
    await Deno.symlink("decoy", `${elsewhere}/over`);
    assert.doesNotMatch((await server.shell(deep)).text, /in decoy/, "a link that came since leads nowhere");
    // The control: in the user's own shell they are there.
    const open = (line: string) => own({ user }, bench, line);
    assert.ok(seen(await open(look)).includes(`${elsewhere}/closed`));

    // S23: terminals.
    const used = await server.shell("script -qc 'tty; ls /dev/pts; echo typed > /dev/tty' /dev/null");
    assert.match(used.text, /^\/dev\/pts\/0\r?\n0 +ptmx\r?\ntyped/m);
    const [script, ...words] = asUser(user, ["script", "-qfc", "tty; exec tail -f /dev/null", "log"]);
    const outside = new Deno.Command(script, { args: words, cwd: scope, stdin: "null", stdout: "null" }).spawn();
    try {
      const path = await until(() => terminalIn(`${scope}/log`), 20_000, "the terminal outside");
      assert.doesNotMatch((await server.shell(reachTerminal(path))).text, /^42$/m);
      assert.match(await open(reachTerminal(path)), /^42$/m);
    } finally {
      outside.kill("SIGTERM");
      await outside.status;
    }
    await runPrograms(bench, server, t);
  });
}

/** The name that `tty` has written to a typescript; undefined: not yet. */
function terminalIn(log: string): string | undefined {
  return exists(log) ? /\/dev\/pts\/\d+/.exec(Deno.readTextFileSync(log))?.[0] : undefined;
}

/** By number (x86_64, aarch64). */
const PIVOT_ROOT = Deno.build.arch === "aarch64" ? 41 : 155;

Deno.test({
  name:
    `S8 where no root of its own can be entered the other layers stay, and status says what is missing${NO_COMPILER}`,
  ignore: !HAS_COMPILER,
  fn: async () => {
    using bench = new Workbench();
    const secret = bench.write(`${bench.elsewhere}/secret`, "closed");
    const wrapper = await compile("without_calls.c", `${bench.elsewhere}/without_calls`);
    await using server = await ServerProcess.start(bench, { prefix: [wrapper, "1", String(PIVOT_ROOT)] });
    const status = (await server.call("status")).text;
    assert.match(status, /mount and PID namespaces, system calls filtered.*NOT HELD: commands see the names of files/);
    const { text } = await server.shell(
      `test -e ${secret} && echo seen; cat ${secret}; chmod 777 ${secret}; echo in > file`,
    );
    assert.match(text, /^seen\n.*Permission denied\n.*Read-only file system$/m);
    assert.strictEqual(await Deno.readTextFile(`${bench.scope}/file`), "in\n");
  },
});

interface Work {
  readonly name: string;
  /** What it takes, by its name or absolute path. */
  readonly program: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly command: string;
  /** Must be in the result. */
  readonly expected: RegExp;
  /** It refuses to run as root. */
  readonly notAsRoot?: true;
}

const MULTIPROCESSING = `import asyncio, multiprocessing as mp
def square(number): return number * number
async def serve():
  async def answer(reader, writer):
    writer.write(b"asyncio 42")
    writer.close()
  server = await asyncio.start_unix_server(answer, "in.sock")
  reader, _ = await asyncio.open_unix_connection("in.sock")
  print((await reader.read()).decode())
  server.close()
if __name__ == "__main__":
  with mp.Manager() as manager: print("manager", manager.dict({"a": 42})["a"])
  for method in ["fork", "spawn", "forkserver"]:
    with mp.get_context(method).Pool(2) as pool: print(method, pool.map(square, [6, 7]))
  asyncio.run(serve())
`;

const SQLITE = `import sqlite3
one, other = sqlite3.connect("own.db"), sqlite3.connect("own.db")
one.execute("PRAGMA journal_mode=WAL")
one.execute("CREATE TABLE a (b)")
one.execute("INSERT INTO a VALUES (42)")
one.commit()
print("sqlite", other.execute("SELECT b FROM a").fetchone()[0])
`;

const JAVA = `import java.io.File;
import java.nio.file.Files;
public class Main {
  public static void main(String[] words) throws Exception {
    File file = File.createTempFile("own", ".txt");
    Files.writeString(file.toPath(), "java 42");
    System.out.println(file.getParent() + " " + Files.readString(file.toPath()));
  }
}
`;

/** As tsx and other tools do: a pipe in the directory of temporary files. */
const NODE = `const net = require("net"), path = require("path").join(require("os").tmpdir(), "own.pipe");
const server = net.createServer((peer) => peer.end("node 42")).listen(path, () => {
  net.connect(path).on("data", (data) => console.log(String(data))).on("close", () => server.close());
});
`;

const POSTGRES = "/usr/lib/postgresql/15/bin";

const WORKS: readonly Work[] = [
  {
    name: "Python's managers, pools, fork server and asyncio",
    program: "/usr/bin/python3",
    files: { "work.py": MULTIPROCESSING },
    command: "/usr/bin/python3 work.py",
    expected: /^manager 42\nfork \[36, 49\]\nspawn \[36, 49\]\nforkserver \[36, 49\]\nasyncio 42$/m,
  },
  {
    name: "a terminal of Python's, and script",
    program: "/usr/bin/script",
    command:
      `/usr/bin/python3 -c "import pty; pty.spawn(['tty'])" && script -qec 'tty && stty size' /dev/null && echo x > /tmp/x`,
    expected: /^\/dev\/pts\/\d+\r?\n\/dev\/pts\/\d+\r?\n\d+ \d+/m,
  },
  {
    name: "SQLite with a log beside the file",
    program: "/usr/bin/python3",
    files: { "work.py": SQLITE },
    command: "/usr/bin/python3 work.py",
    expected: /^sqlite 42$/m,
  },
  {
    name: "Java with a temporary file",
    program: "java",
    files: { "Main.java": JAVA },
    command: "java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC Main.java",
    expected: /^\/tmp java 42$/m,
  },
  {
    name: "Node with a pipe among temporary files",
    program: "node",
    files: { "work.cjs": NODE },
    command: "node work.cjs",
    expected: /^node 42$/m,
  },
  {
    name: "PostgreSQL with its socket in the project",
    program: `${POSTGRES}/initdb`,
    command: `${POSTGRES}/initdb -D db -U own --auth=trust >init.log && ` +
      `${POSTGRES}/pg_ctl -D db -l log -w -o "-k $PWD -c listen_addresses=''" start >start.log && ` +
      `${POSTGRES}/psql -h "$PWD" -U own postgres -Atc "select 'postgres ' || 6 * 7"; ` +
      `${POSTGRES}/pg_ctl -D db -w -m fast stop >stop.log`,
    expected: /^postgres 42$/m,
    notAsRoot: true,
  },
];

function reasonToSkip({ program, notAsRoot }: Work, user: User): string | undefined {
  if (missingPrograms([program], user).length > 0) return `${program} is not there`;
  return notAsRoot === true && user === "root" ? "it refuses to run as root" : undefined;
}

/** One user has each program: what the kernel lets each user do with sockets is tried in unix_sockets_test.ts. */
async function runPrograms(bench: Workbench, server: ServerProcess, t: Deno.TestContext): Promise<void> {
  for (const [index, [work, whose]] of withUsersInTurn(WORKS).entries()) {
    if (whose !== bench.user) continue;
    const reason = reasonToSkip(work, bench.user);
    const name = reason === undefined ? work.name : `${work.name} (ignored: ${reason})`;
    await t.step({
      name,
      ignore: reason !== undefined,
      fn: async () => {
        const directory = `work${index}`;
        for (const [path, text] of Object.entries({ kept: "", ...work.files })) {
          bench.write(`${directory}/${path}`, text);
        }
        const options = { working_directory: directory, timeout_seconds: 100 };
        const { text, failed } = await server.shell(work.command, options);
        assert.match(text, work.expected);
        assert.ok(!failed, text);
      },
    });
  }
}
