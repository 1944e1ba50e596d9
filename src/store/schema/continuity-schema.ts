/** How much of what a session was shown it used. */
export interface ContinuityScoresTable {
  id: string
  agent_id: string
  session_key: string
  project: string | null
  harness: string
  /** `memories_used` of `memories_recalled`. */
  score: number
  memories_recalled: number
  memories_used: number
  /** Memories that the session saved: what it had to be told anew. */
  novel_context_count: number
  reasoning: string
  created_at: string
}

export interface ContinuitySchema {
  continuity_scores: ContinuityScoresTable
}
