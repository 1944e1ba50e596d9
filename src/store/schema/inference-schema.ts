/** What was asked of a language model for one use on one day (inference.md#limits). */
export interface InferenceUsageTable {
  /** `2026-01-31`, UTC. */
  day: string
  purpose: string
  calls: number
  failures: number
  input_tokens: number
  output_tokens: number
  /** What the limit of the day has counted: of questions that are on their way, or were when a kill came, an estimate. */
  counted_tokens: number
  /** US dollars, of those calls whose cost is known. */
  cost: number
  unpriced_calls: number
}

export interface InferenceSchema {
  inference_usage: InferenceUsageTable
}
