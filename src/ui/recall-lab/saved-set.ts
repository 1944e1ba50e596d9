export interface SavedQuery {
  query: string
  /** Ids in their order. */
  results: readonly string[]
  /** When they were. */
  at: string
}

const key = 'memory-service.recall-lab'

/** Kept by this browser: questions and ids, no texts of memories. */
export function savedQueries(): SavedQuery[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(stored) ? (stored as SavedQuery[]) : []
  } catch {
    return []
  }
}

export function keepQueries(queries: readonly SavedQuery[]): void {
  localStorage.setItem(key, JSON.stringify(queries))
}
