/** The screen of a terminal as rows of runs: texts that look the same throughout (V2). */
import type { IBufferCell, Terminal } from "@xterm/headless";

/** How cells look; absent members: as usual. A colour is a number of the palette, 0 to 255, or `#rrggbb`. */
export interface CellStyle {
  readonly fg?: number | string;
  readonly bg?: number | string;
  readonly bold?: true;
  readonly dim?: true;
  readonly italic?: true;
  readonly underline?: true;
  readonly inverse?: true;
}

export interface ScreenRun extends CellStyle {
  readonly text: string;
}

/** All rows from the top, without blanks at the ends. */
export function screenRows(terminal: Terminal): readonly (readonly ScreenRun[])[] {
  const { active } = terminal.buffer;
  const cell = active.getNullCell();
  return Array.from({ length: terminal.rows }, (_, row) => {
    const line = active.getLine(active.baseY + row);
    const runs: (ScreenRun & { readonly key: string })[] = [];
    for (let column = 0; column < terminal.cols; column++) {
      const at = line?.getCell(column, cell);
      if (at === undefined || at.getWidth() === 0) continue;
      const style = styleOf(at);
      const key = JSON.stringify(style);
      const text = at.getChars() || " ";
      const last = runs.at(-1);
      if (last?.key === key) runs[runs.length - 1] = { ...last, text: last.text + text };
      else runs.push({ ...style, text, key });
    }
    const last = runs.at(-1);
    if (last?.key === "{}") runs[runs.length - 1] = { ...last, text: last.text.trimEnd() };
    return runs.filter(({ text }) => text !== "").map(({ key: _, ...run }) => run);
  });
}

function styleOf(cell: IBufferCell): CellStyle {
  const fg = colour(cell.getFgColor(), cell.isFgPalette(), cell.isFgRGB());
  const bg = colour(cell.getBgColor(), cell.isBgPalette(), cell.isBgRGB());
  return {
    ...fg !== undefined && { fg },
    ...bg !== undefined && { bg },
    ...cell.isBold() !== 0 && { bold: true },
    ...cell.isDim() !== 0 && { dim: true },
    ...cell.isItalic() !== 0 && { italic: true },
    ...cell.isUnderline() !== 0 && { underline: true },
    ...cell.isInverse() !== 0 && { inverse: true },
  };
}

function colour(value: number, isPalette: boolean, isRgb: boolean): number | string | undefined {
  if (isPalette) return value;
  return isRgb ? `#${value.toString(16).padStart(6, "0")}` : undefined;
}
