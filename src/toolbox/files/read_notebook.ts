/** A Jupyter notebook (nbformat 4) as text, with its images separate. Pure. */
import { isObject, member, parseJson } from "../../wire/json_value.ts";
import { IMAGE_TYPES } from "./read_kind.ts";

export interface Notebook {
  readonly text: string;
  readonly cells: number;
  readonly images: readonly NotebookImage[];
}

export interface NotebookImage {
  /** Its name in the text. */
  readonly name: string;
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** A longer output is truncated, characters. */
const LONGEST_OUTPUT = 2048;
const MOST_IMAGES = 20;
const MOST_IMAGE_CHARACTERS = 5 * 1024 * 1024;
/** Terminal colour codes, as in tracebacks. */
// deno-lint-ignore no-control-regex
const COLOURS = /\u001b\[[\d;]*m/g;

/** Cells with their ids and outputs; undefined: this is not a notebook. */
export function renderNotebook(json: string): Notebook | undefined {
  const parsed = parseJson(json);
  const cells = parsed.ok ? member(parsed.value, "cells") : undefined;
  if (!Array.isArray(cells)) return undefined;
  const images: NotebookImage[] = [];
  const parts = cells.flatMap((cell, index) => renderCell(cell, index, images));
  return { text: `${parts.join("\n")}\n`, cells: cells.length, images };
}

function renderCell(cell: unknown, index: number, images: NotebookImage[]): readonly string[] {
  const id = member(cell, "id");
  const head = `--- cell ${index + 1}, ${member(cell, "cell_type")}${typeof id === "string" ? `, id ${id}` : ""} ---`;
  const outputs = member(cell, "outputs");
  const shown = Array.isArray(outputs) ? outputs.flatMap((output) => renderOutput(output, images)) : [];
  return [head, joined(member(cell, "source")), ...shown.length === 0 ? [] : ["--- output ---", ...shown]];
}

function renderOutput(output: unknown, images: NotebookImage[]): readonly string[] {
  const data = member(output, "data");
  const traceback = member(output, "traceback");
  if (Array.isArray(traceback)) return [cut(traceback.map(String).join("\n").replace(COLOURS, ""))];
  if (!isObject(data)) return [cut(joined(member(output, "text")))];
  const picture = IMAGE_TYPES.find((type) => Object.hasOwn(data, type));
  if (picture === undefined) return [cut(joined(data["text/plain"] ?? data["text/markdown"] ?? data["text/html"]))];
  return [addImage(images, picture, joined(data[picture]).replace(/\s/g, ""))];
}

function addImage(images: NotebookImage[], mimeType: string, data: string): string {
  const held = images.reduce((sum, image) => sum + image.data.length, 0);
  if (images.length >= MOST_IMAGES || held + data.length > MOST_IMAGE_CHARACTERS) return `[${mimeType}, left out]`;
  const name = `image ${images.length + 1}`;
  images.push({ name, mimeType, data });
  return `[${name}: ${mimeType}]`;
}

function joined(lines: unknown): string {
  return (Array.isArray(lines) ? lines.map(String).join("") : String(lines ?? "")).replace(/\n$/, "");
}

function cut(text: string): string {
  const more = text.length - LONGEST_OUTPUT;
  return more <= 0 ? text : `${text.slice(0, LONGEST_OUTPUT)} … [+${more} chars]`;
}
