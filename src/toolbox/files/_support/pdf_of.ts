import { deflateSync } from "node:zlib";

const FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

/** A PDF with text on each page, which has no parentheses. */
export function pdfOf(pages: readonly string[]): string {
  const font = 3 + pages.length * 2;
  const kids = pages.map((_, at) => `${3 + at * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    ...pages.flatMap((text, at) => {
      const drawn = `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`;
      const resources = `<< /Font << /F1 ${font} 0 R >> >>`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${4 + at * 2} 0 R /Resources ${resources} >>`,
        `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
      ];
    }),
    FONT,
  ];
  return fileOf(objects);
}

/** A PDF of one page whose drawing is packed twice. */
export function packedPdf(drawing: Uint8Array): string {
  const packed = new Uint8Array(deflateSync(deflateSync(drawing))).toHex();
  return fileOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${packed.length} /Filter [/ASCIIHexDecode /FlateDecode /FlateDecode] >>\nstream\n${packed}\nendstream`,
    FONT,
  ]);
}

/** A short PDF of one page without end: each of its forms draws the next one ten times. */
export function endlessPdf(): string {
  const forms = 12;
  const stream = (dictionary: string, text: string) =>
    `<< ${dictionary} /Length ${text.length} >>\nstream\n${text}\nendstream`;
  const draws = (form: number) => `/Resources << /XObject << /X ${form} 0 R >> >>`;
  const form = "/Type /XObject /Subtype /Form /BBox [0 0 612 792]";
  return fileOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R ${draws(5)} >>`,
    stream("", "/X Do"),
    ...Array.from({ length: forms }, (_, at) => stream(`${form} ${draws(at + 6)}`, "/X Do ".repeat(10))),
    stream(`${form} /Resources << /Font << /F1 ${forms + 6} 0 R >> >>`, "BT /F1 12 Tf (a) Tj ET"),
    FONT,
  ]);
}

function fileOf(objects: readonly string[]): string {
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join("");
  return `%PDF-1.4\n${body}trailer\n<< /Root 1 0 R /Size ${objects.length + 1} >>\n%%EOF\n`;
}
