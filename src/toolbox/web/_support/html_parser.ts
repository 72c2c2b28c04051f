/** A thread that parses pages for a test. */
import { serveParser } from "../../thread/_support/mutants.ts";
import { pageText } from "../page_text.ts";

serveParser(async (bytes) => {
  const { text } = await pageText(bytes, "text/html", new URL("https://a.example/")) ?? { text: "(no text)" };
  return text;
});
