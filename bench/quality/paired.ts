import { type MetricName, metricNames, type QuestionScores } from './metrics.js'

/** A mean and the half-width of its 95 % interval. */
export interface Interval {
  mean: number
  half: number
}

/** @returns mean and normal 95 % interval of independent values; NaN for no values */
export function interval(values: readonly number[]): Interval {
  const count = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / count
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const deviation = Math.sqrt(squares / Math.max(1, count - 1))
  return { mean, half: (1.96 * deviation) / Math.sqrt(count) }
}

/**
 * The lead of one system over another, paired by question; both must have answered the same questions in the
 * same order.
 */
export function pairedDifferences(
  system: readonly QuestionScores[],
  baseline: readonly QuestionScores[],
): Record<MetricName, Interval> {
  const of = (name: MetricName) => interval(system.map((scores, i) => scores[name] - baseline[i]![name]))
  return Object.fromEntries(metricNames.map(name => [name, of(name)])) as Record<MetricName, Interval>
}

/** @returns `+1.2 ± 0.8` in points (percent) */
export function inPoints({ mean, half }: Interval): string {
  return `${mean > 0 ? '+' : ''}${(100 * mean).toFixed(1)} ± ${(100 * half).toFixed(1)}`
}
