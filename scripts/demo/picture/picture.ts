/** A terminal's text as an SVG picture. Pure. */

/** How many characters a line of the picture has. */
const COLUMNS = 108;
/** Pixels. */
const [CHARACTER, LINE, FONT, MARGIN] = [7.8, 18, 13, 16];
const BACKGROUND = "#11151c";
const PLAIN = "#d7dce4";

/** By the numbers of an escape sequence (SGR): attributes of the text. */
const STYLES: Readonly<Record<string, string>> = {
  "1": 'font-weight="bold"',
  "2": 'fill="#7b8494"',
  "31": 'fill="#ff7b72"',
  "32": 'fill="#5fd38d"',
  "36": 'fill="#56c8e0"',
};

/** The picture of what a terminal shows; a line that is too long is cut. */
export function pictureOf(text: string): string {
  const lines = text.replace(/^\n+|\n+$/g, "").split("\n");
  const [width, height] = [Math.ceil(COLUMNS * CHARACTER) + 2 * MARGIN, lines.length * LINE + 2 * MARGIN];
  const rows = lines.map((line, index) => {
    const y = MARGIN + index * LINE + FONT;
    return `<text x="${MARGIN}" y="${y}" xml:space="preserve">${spansOf(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
    `<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="${FONT}" fill="${PLAIN}">`,
    ...rows,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function spansOf(line: string): string {
  let left = COLUMNS;
  let spans = "";
  // Texts, and between them the numbers of the sequence that precedes each.
  // deno-lint-ignore no-control-regex
  const [first = "", ...rest] = line.split(/\x1b\[([\d;]*)m/);
  for (const [text = "", codes = ""] of pairs(["", first, ...rest])) {
    const shown = text.length > left ? `${text.slice(0, Math.max(0, left - 1))}…` : text;
    if (left <= 0 || shown === "") continue;
    left -= shown.length;
    const style = codes.split(";").map((code) => STYLES[code] ?? "").filter((one) => one !== "").join(" ");
    spans += style === "" ? escaped(shown) : `<tspan ${style}>${escaped(shown)}</tspan>`;
  }
  return spans;
}

function pairs(parts: readonly string[]): readonly (readonly [text: string | undefined, codes: string | undefined])[] {
  return Array.from({ length: parts.length / 2 }, (_, at) => [parts[2 * at + 1], parts[2 * at]]);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
