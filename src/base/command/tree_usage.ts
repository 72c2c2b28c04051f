/** What all processes of a command used together, where a control group counts it. */
export interface TreeUsage {
  /** Processor time, milliseconds. */
  readonly processorMs?: number;
  /** The peak of memory; absent: it is unknown, or may be that of an earlier command. */
  readonly memoryPeakBytes?: number;
  /** The kernel ended it because memory ran out: its own, or that of all commands `together`. Absent: it did not. */
  readonly outOfMemory?: { readonly limitBytes: number } | "together";
  /** Processes were refused beyond this limit; absent: none was. */
  readonly taskLimit?: number;
}

/** Which limits affected the command, in a few words each; empty: none did. Pure. */
export function usageWords({ outOfMemory, memoryPeakBytes, taskLimit }: TreeUsage): readonly string[] {
  return [
    ...outOfMemory === undefined ? [] : [killedWords(outOfMemory, memoryPeakBytes)],
    ...taskLimit === undefined ? [] : [`processes refused beyond ${taskLimit}`],
  ];
}

function killedWords(outOfMemory: NonNullable<TreeUsage["outOfMemory"]>, peak: number | undefined): string {
  if (outOfMemory === "together") {
    return `killed: memory of all commands together ran out${peak === undefined ? "" : `, it had ${binary(peak)}`}`;
  }
  const { limitBytes } = outOfMemory;
  const unit = unitOf(limitBytes);
  return peak === undefined
    ? `killed: beyond ${binary(limitBytes)} of memory`
    : `killed: ${inUnit(peak, unit)} of ${binary(limitBytes)}`;
}

const UNITS = ["KiB", "MiB", "GiB", "TiB"] as const;

/** `4.0 GiB` */
export function binary(bytes: number): string {
  const unit = unitOf(bytes);
  return `${inUnit(bytes, unit)} ${UNITS[unit - 1]}`;
}

function unitOf(bytes: number): number {
  return Math.min(UNITS.length, Math.max(1, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
}

function inUnit(bytes: number, unit: number): string {
  return (bytes / 1024 ** unit).toFixed(1);
}
