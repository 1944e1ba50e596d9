/** A cleaned conversation; its text stands in the first `messages` messages of its body. */
export interface TranscriptsTable {
  agent_id: string
  session_key: string
  harness: string
  project: string | null
  body_id: string
  /** The receipt of what was captured last. */
  capture_id: string
  messages: number
  /** UTF-16 units of all its texts. */
  characters: number
  captured_at: string
  updated_at: string
  /** The worst of its chunks. */
  safety_status: string
  safety_reasons: string
  safety_policy: string
  safety_scanned_at: string
}

export interface TranscriptMessagesTable {
  body_id: string
  position: number
  role: string
  at: string | null
  text: string
  /** 1 when `text` is a JSON string: half surrogates can't be stored as they are. */
  escaped: number
  /** Of role and text, to compare captures by. */
  fingerprint: string
}

/** A stretch of messages that is searched as one document: from an offset in one to an offset in another. */
export interface TranscriptChunksTable {
  body_id: string
  chunk: number
  first_position: number
  first_offset: number
  last_position: number
  last_end: number
  safety_status: string
  /** 1 when its body was replaced: only the index still has to hear of it. */
  removed: number
  /** Change sequence of its last change; the index catches up by it. */
  change: number
}

/** The receipt of a transcript that was handed over. */
export interface TranscriptCapturesTable {
  id: string
  agent_id: string
  session_key: string
  harness: string
  project: string | null
  /** `inline`: the file is ours and goes when it was captured; `file`: it is the harness's. */
  source: string
  path: string
  status: string
  error: string | null
  /** Where its messages were written. */
  body_id: string | null
  /** A body that it replaced and that is still to be removed. */
  stale_body_id: string | null
  /** Bytes of the record of transcripts before this one was added; null before that. */
  record_size: number | null
  captured_at: string
  created_at: string
  completed_at: string | null
}

/** The tables of conversations and their capture. */
export interface TranscriptSchema {
  transcripts: TranscriptsTable
  transcript_messages: TranscriptMessagesTable
  transcript_chunks: TranscriptChunksTable
  transcript_captures: TranscriptCapturesTable
}

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
