import type { Diagnostic } from "../../base/diagnostic.ts";

/** A place in a file, counted from 1. */
export type Place = Pick<Diagnostic, "line" | "column">;

/** Reports what is wrong in a file; gives nothing, so that a caller can return it. */
export type ReportFault = (severity: Diagnostic["severity"], message: string, place: Place) => undefined;

/** The place of the key or item that a path leads to; the first line where there is none. */
export type Places = (path: readonly (string | number)[]) => Place;
