/** The pages that a person sees in the browser at the end of a login. Pure. */

/** What a page says. */
export interface Page {
  readonly status: number;
  readonly title: string;
  /** Plain text. */
  readonly text: string;
}

/** After a login. */
export const LOGGED_IN: Page = { status: 200, title: "Logged in", text: "You may close this page." };

/** For a request that is not the answer to this login. */
export const NOT_THIS_LOGIN: Page = {
  status: 400,
  title: "Not this login",
  text:
    "This answer does not belong to the login that waits here, which goes on. Begin at the address in the terminal.",
};

/** For everything else that a browser asks for. */
export const NOT_FOUND: Page = { status: 404, title: "Not found", text: "Nothing is here." };

/** A login that came to nothing. `why`: a sentence. */
export function failedPage(why: string): Page {
  return { status: 400, title: "Not logged in", text: `${why}. The terminal has the same message.` };
}

/** The page as a response: no script runs in it, and no cache keeps it. */
export function pageResponse({ status, title, text }: Page): Response {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escaped(title)} - ahma_mcp</title>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
</html>
`;
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "connection": "close",
    },
  });
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
