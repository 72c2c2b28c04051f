/** Scripts of documents, as Vue, Svelte and HTML have them. Pure. */

/** The text with everything but the scripts blank, so that each line keeps its number. */
export function scriptsOf(text: string): string {
  let shown = "";
  let at = 0;
  // The other letters may change their length.
  const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  for (;;) {
    const tag = lower.indexOf("<script", at);
    const open = tag < 0 ? -1 : text.indexOf(">", tag);
    if (open < 0) return shown + blank(text.slice(at));
    const found = lower.indexOf("</script", open);
    const close = found < 0 ? text.length : found;
    shown += blank(text.slice(at, open + 1)) + text.slice(open + 1, close);
    at = close;
  }
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}
