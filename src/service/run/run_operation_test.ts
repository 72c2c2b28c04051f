import { strict as assert } from "node:assert";
import type { CommandEnd } from "../../base/command/command_end.ts";
import { SILENT } from "../../base/log.ts";
import { encodeText } from "../../base/text.ts";
import { OperationRegistry } from "../../operation/registry.ts";
import type { CommandHooks, CommandRequest, CommandRunner } from "../../process/command_runner.ts";
import { connectClient, makeService, textsOf } from "../_support/connection.ts";

const TERMINAL = { size: { columns: 80, rows: 24 }, hidesInput: false, hasOutput: false, resize() {} };

/** Runs a command that writes a line to its terminal, and ends while the server reads the screen. */
class EndsWhileRead implements CommandRunner {
  readonly registry = new OperationRegistry({ maxConcurrency: 1, log: SILENT });

  async run(_request: CommandRequest, { onRunning, onOutput }: CommandHooks): Promise<CommandEnd> {
    const ended = Promise.withResolvers<void>();
    onRunning?.({
      listensAt: () => false,
      holds: () => false,
      inputWait: () => undefined,
      usage: () => undefined,
      input: { write: () => Promise.resolve(), close: () => Promise.resolve(), terminal: TERMINAL },
    });
    const [operation] = this.registry.listActive();
    const { screen } = operation ?? {};
    assert.ok(operation !== undefined && screen !== undefined);
    const read = screen.read.bind(screen);
    screen.read = async () => {
      ended.resolve();
      await operation.ended;
      return await read();
    };
    onOutput(encodeText("up\r\n"));
    await ended.promise;
    return { kind: "exited", code: 3 };
  }
}

Deno.test("X20 runOperation() gives the result of a command that ends while its screen is read", async () => {
  const runner = new EndsWhileRead();
  const { registry } = runner;
  await using connected = await connectClient(makeService({ runner, rest: { registry } }));
  const args = { command: "serve", tty: true, until: "up" };
  const texts = textsOf(await connected.client.callTool({ name: "sandboxed_shell", arguments: args }));
  assert.deepStrictEqual(texts.map((text) => text.replace(/\d+ ms/, "TIME")), ["up\n[exit code 3, TIME]"]);
  assert.deepStrictEqual(registry.undelivered(), []);
});
