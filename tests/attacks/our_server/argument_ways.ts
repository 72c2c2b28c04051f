/** Ways to misuse the arguments of a call, and the tools they are tried on. */
import type { ToolAnswer } from "../../_support/json_rpc.ts";
import { type Call, type Place, type Scene, type Way } from "../frame/attack.ts";
import { driven } from "../frame/stage.ts";
import { SERVED } from "./served_files.ts";

/** A call that must not run; the control is the same call in its harmless form, which must. */
export function refused(call: (place: Place) => Call, harmless: (place: Place) => Call, evidence: RegExp): Way {
  return {
    does: (place) => [call(place)],
    control: (place) => [harmless(place)],
    evidence,
    aim: "evidence",
    sharedServer: SERVED,
  };
}

/** A shell call in this directory must not run at all. */
export function inDirectory(directory: (place: Place) => unknown): Way {
  const call = (working_directory: unknown) => [{
    tool: "sandboxed_shell",
    arguments: { command: "echo ran $((6 * 7)); cat secret", working_directory, execution_mode: "Synchronous" },
  }];
  return {
    does: (place) => call(directory(place)),
    control: (place) => call(place.directory),
    evidence: /ran 42/,
  };
}

/** Reads the secret by a path argument; the control reads it in a shell. */
export function readsPath(path: (place: Place) => string, more: Partial<Way> = {}): Way {
  return {
    does: (place) => [{ tool: "show_file", arguments: { path: path(place), working_directory: place.directory } }],
    control: ({ secret }) => `cat ${secret}`,
    aim: "read",
    sharedServer: SERVED,
    ...more,
  };
}

/** Words that a shell would take apart must arrive as they are; the control is a shell. */
export function arrives(word: string): Way {
  return {
    does: () => [{ tool: "show_words", arguments: { word } }],
    control: () => `printf '<%s>' lost`,
    evidence: ({ text }) => text.includes(`<${word}>`) ? undefined : `it arrived otherwise: ${text}`,
    sharedServer: SERVED,
  };
}

export function words(given: Readonly<Record<string, unknown>>): Way {
  return refused(
    () => ({ tool: "show_words", arguments: given }),
    () => ({ tool: "show_words", arguments: { word: "x" } }),
    /^<.*>/m,
  );
}

/** A call whose arguments are this text must not run. */
export function raw(name: string, text: string): Way {
  return rawly(name, { hostile: text, harmless: '{"word":"x"}', ran: /"text":"[^"]*<[^>]*>/ });
}

/** Arguments that must not come to the same as others, whose effect shows in the output as `ran`. */
export function rawly(
  name: string,
  { hostile, harmless, ran }: { readonly hostile: string; readonly harmless: string; readonly ran: RegExp },
): Way {
  const asks = (args: string) =>
    driven(async ({ running }: Scene) => {
      const id = `raw-${crypto.randomUUID()}`;
      const answer = running.message((message) => message.id === id, { what: `the answer to ${name}` });
      await running.write(
        `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"show_words","arguments":${args}}}\n`,
      );
      const said = JSON.stringify(await answer);
      await running.call("status");
      return ran.test(said) && !said.includes('"isError":true') ? `it ran: ${said.slice(0, 300)}` : undefined;
    });
  return { does: asks(hostile), control: asks(harmless), sharedServer: SERVED };
}

export function git(what: (place: Place) => string): Way {
  return {
    does: (place) => [{ tool: "git_diff", arguments: { what: what(place), working_directory: place.directory } }],
    control: ({ out }) => `echo x > ${out}/new`,
    aim: "write",
    sharedServer: SERVED,
  };
}

export const HOSTILE: Readonly<Record<string, string>> = {
  "a substitution": "$(echo lost)",
  "backticks": "`echo lost`",
  "a list": "x; echo lost && echo lost | cat",
  "a redirection": "x > file",
  "patterns": "* ? [a-z] {a,b} ~",
  "quotes": `a'b"c\\d`,
  "line breaks": "a\nb\tc",
  "separators": "a\u2028b\u2029c",
  "emoji": "a👩‍👩‍👧‍👦b",
  "composed and not": "e\u0301 \u00e9",
  "a variable": "$HOME ${PATH}",
};

/** Shell text that would break what a careless server puts after it. Standard error must come, and nothing else change. */
export const BREAKING: Readonly<Record<string, string>> = {
  "a comment": "echo one; echo two >&2 #",
  "a here-document": "cat <<X; echo two >&2\none\nX",
  "a background job": "echo one; echo two >&2 & wait",
  "a backslash": "echo one; echo two >&2 \\",
  "a group": "{ echo one; echo two >&2; }",
};

/** How often each line is run: warm shells are several. */
const TIMES = 3;

/** Leaves things in a shell that the next calls must not find. */
export function leavesBehind(left: Readonly<Record<string, readonly [command: string, look: string]>>): Way {
  const shell = (line: string) => ({
    tool: "sandboxed_shell",
    arguments: { command: line, execution_mode: "Synchronous" },
  });
  const all = Object.values(left);
  const repeated = (lines: readonly string[]) =>
    lines.flatMap((line) => Array.from({ length: TIMES }, () => shell(line)));
  return {
    does: () => [...repeated([all.map(([command]) => command).join("\n")]), ...repeated(all.map(([, look]) => look))],
    control: () => all.map(([command, look]) => shell(`${command}\n${look}`)),
    evidence: ({ answers }) => {
      const found = (some: readonly ToolAnswer[]) => some.filter(({ text }) => /found 42/.test(text)).length;
      // The control finds each of them; what the leaving lines print themselves does not count.
      const isFound = answers.length === all.length ? found(answers) === all.length : found(answers.slice(TIMES)) > 0;
      return isFound ? "it was found" : undefined;
    },
  };
}
