/**
 * Programs that make Unix sockets, terminals and temporary files of their own, run inside with default flags (S5, S6,
 * S23).
 */
import assert from "node:assert/strict";
import { missingPrograms } from "./_support/programs_at_hand.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { type User, usersAtHand, withUsersInTurn, Workbench } from "./_support/workbench.ts";

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

// What the kernel lets each user do with sockets is tried in tests/unix_sockets_test.ts: here one user has each program.
for (const user of usersAtHand()) {
  Deno.test(`S5 S6 S23 programs make sockets, terminals and temporary files of their own, as ${user}`, async (t) => {
    using bench = new Workbench(user);
    await using server = await ServerProcess.start(bench);
    for (const [index, [work, whose]] of withUsersInTurn(WORKS).entries()) {
      if (whose !== user) continue;
      const reason = reasonToSkip(work, user);
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
  });
}
