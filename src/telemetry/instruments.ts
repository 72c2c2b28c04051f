/** Counts and durations by attributes since the start of the server. The number of combinations is bounded. */
import type { Attributes, HistogramPoint, Metric } from "./otlp.ts";

/** Name, description and unit. */
type Described = Omit<Metric, "data">;

/** Most combinations of attributes counted separately, as in OpenTelemetry; others are counted together. */
const MOST_POINTS = 1000;
const FURTHER: Attributes = { "otel.metric.overflow": true };

/** Seconds, as in OpenTelemetry's conventions for MCP. */
const BOUNDS: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** Values by attributes. */
class Points<Value> {
  readonly #points = new Map<string, { readonly attributes: Attributes; value: Value }>();

  /** The value of these attributes, or of all beyond the limit. */
  at(attributes: Attributes, initial: () => Value): { value: Value } {
    const key = JSON.stringify(attributes);
    const found = this.#points.get(key);
    if (found !== undefined) return found;
    if (attributes !== FURTHER && this.#points.size >= MOST_POINTS) return this.at(FURTHER, initial);
    const point = { attributes, value: initial() };
    this.#points.set(key, point);
    return point;
  }

  all(): readonly { readonly attributes: Attributes; readonly value: Value }[] {
    return [...this.#points.values()];
  }
}

export class Sum {
  readonly #points = new Points<number>();
  readonly #described: Described;
  readonly #isMonotonic: boolean;

  constructor(described: Described, { isMonotonic }: { readonly isMonotonic: boolean }) {
    this.#described = described;
    this.#isMonotonic = isMonotonic;
  }

  add(value: number, attributes: Attributes): void {
    this.#points.at(attributes, () => 0).value += value;
  }

  /** The metric with its current values. */
  read(): Metric {
    return { ...this.#described, data: { isMonotonic: this.#isMonotonic, points: this.#points.all() } };
  }
}

type Recorded = Omit<HistogramPoint, "attributes">;

/** A histogram of durations. */
export class Durations {
  readonly #points = new Points<Recorded>();
  readonly #described: Omit<Described, "unit">;

  constructor(described: Omit<Described, "unit">) {
    this.#described = described;
  }

  record(seconds: number, attributes: Attributes): void {
    const point = this.#points.at(attributes, nothing);
    const { counts, sum, min, max } = point.value;
    const above = BOUNDS.findIndex((bound) => seconds <= bound);
    const bucket = above === -1 ? BOUNDS.length : above;
    point.value = {
      sum: sum + seconds,
      min: Math.min(min, seconds),
      max: Math.max(max, seconds),
      counts: counts.with(bucket, (counts[bucket] ?? 0) + 1),
    };
  }

  /** The metric with its current values. */
  read(): Metric {
    const points = this.#points.all().map(({ attributes, value }) => ({ attributes, ...value }));
    return { ...this.#described, unit: "s", data: { bounds: BOUNDS, points } };
  }
}

function nothing(): Recorded {
  return { sum: 0, min: Infinity, max: -Infinity, counts: new Array<number>(BOUNDS.length + 1).fill(0) };
}
