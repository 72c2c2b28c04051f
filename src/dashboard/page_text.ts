/** The page as one file: it contains its style and script, and its policy lets nothing else run (V3). */
import HTML from "./page/page.html" with { type: "text" };
import STYLE from "./page/page.css" with { type: "text" };
import { SCRIPTS } from "./page/scripts.ts";
import { encodeText } from "../base/text.ts";

/** The page, and the headers of its answer. */
export interface PageText {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Puts the page together. */
export async function pageText(): Promise<PageText> {
  const script = SCRIPTS.join("\n");
  const html = HTML.replace("/* STYLE */", () => STYLE).replace("/* SCRIPT */", () => script);
  const hashes = { script: await hashOf(between(html, "script")), style: await hashOf(between(html, "style")) };
  const policy = [
    "default-src 'none'",
    `script-src '${hashes.script}'`,
    `style-src '${hashes.style}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    html,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy.join("; "),
      "Cross-Origin-Opener-Policy": "same-origin",
      "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
      "X-Frame-Options": "DENY",
      ...PRIVATE_HEADERS,
    },
  };
}

/** Headers of every answer of the dashboard. */
export const PRIVATE_HEADERS: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** The text of the only element of that name. */
function between(html: string, name: string): string {
  const [, text = ""] = new RegExp(`<${name}[^>]*>(.*)</${name}>`, "s").exec(html) ?? [];
  return text;
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", encodeText(text));
  return `sha256-${new Uint8Array(digest).toBase64()}`;
}
