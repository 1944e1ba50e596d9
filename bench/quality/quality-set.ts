import type { memoryTypes } from '../../src/contract/ground/wire-names.js'

/** A memory as every measured system receives it. */
export interface StoredMemory {
  id: string
  content: string
  /** Derived from the content when absent, as a save does. */
  type?: (typeof memoryTypes)[number]
  hints: readonly string[]
  who: string | null
  project: string
  createdAt: number
  session: string | null
}

/** A query to a store: within a project, or over all of them (null). */
export interface ScopedQuery {
  query: string
  project: string | null
}

export interface QualityQuestion extends ScopedQuery {
  category: string
  /** Ids of every row that answers; never empty. */
  evidence: readonly string[]
}

/** Rows of one store, and questions whose answers are known. */
export interface QualitySet {
  name: string
  /** Questions of another family have no answer here. */
  family: string
  rows: readonly StoredMemory[]
  questions: readonly QualityQuestion[]
  /** Questions about the set's own rows that none of them answers. */
  unanswerable: readonly ScopedQuery[]
  /** The set's own questions about unrelated subjects. */
  foreign?: readonly ScopedQuery[]
  /** Rows that count as one (a message and its reply), by id; scored in addition to the rows. */
  units?: ReadonlyMap<string, string>
  /** Time of the questions in milliseconds since the epoch; now when absent. */
  askedAt?: number
}

/** @returns the projects of a set in the order of its rows */
export function projectsOf({ rows }: QualitySet): string[] {
  return [...new Set(rows.map(({ project }) => project))]
}
