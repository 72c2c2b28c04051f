/** The person at the terminal, who logs in. */
import { NO_BROWSER, openBrowser } from "../../../app/logins/open_browser.ts";
import { pastedQuery } from "../../../upstream/oauth/login/callback.ts";
import type { Person } from "../../../upstream/oauth/login/login.ts";
import { printProblem } from "../../terminal/print.ts";

/** Says sentences on stderr, opens the browser, and reads pasted addresses from a terminal. */
export function personAtTerminal(environment: Readonly<Record<string, string>>): Person {
  return {
    tell: (text, page) => printProblem(page === undefined ? text : `${text}:\n\n  ${page.href}\n`),
    async openBrowser(url) {
      const problem = openBrowser(url, environment);
      if (problem !== undefined && problem !== NO_BROWSER) await printProblem(problem);
      return problem === undefined;
    },
    pasted: (isOurs) => Deno.stdin.isTerminal() ? firstPasted(isOurs) : Promise.withResolvers<never>().promise,
  };
}

/** The reading is not ended by itself: the program ends after the login. */
async function firstPasted(isOurs: (query: URLSearchParams) => boolean): Promise<URLSearchParams> {
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter((line) => line.trim() !== "")) {
      const query = pastedQuery(line);
      if (query !== undefined && isOurs(query)) return query;
      await printProblem("This address does not belong to the login: paste the one that begins with http://localhost");
    }
  }
  return await Promise.withResolvers<never>().promise; // The terminal was closed: the browser may still come.
}
