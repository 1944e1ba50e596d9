/** A cleaned conversation; its text is in the first `messages` messages of its body. */
export interface TranscriptsTable {
  agent_id: string
  session_key: string
  harness: string
  project: string | null
  body_id: string
  /** The receipt of the last capture. */
  capture_id: string
  messages: number
  /** UTF-16 units of all its texts. */
  characters: number
  captured_at: string
  updated_at: string
  /** The worst verdict of its chunks. */
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
  /** 1 when `text` is a JSON string, because lone surrogates can't be stored as they are. */
  escaped: number
  /** Hash of role and text, to compare captures. */
  fingerprint: string
}

/** A range of messages that is searched as one document. */
export interface TranscriptChunksTable {
  body_id: string
  chunk: number
  first_position: number
  first_offset: number
  last_position: number
  last_end: number
  safety_status: string
  /** 1 when its body was replaced and only the index still has to process that. */
  removed: number
  /** Change number of its last change, which the index follows. */
  change: number
}

/** The receipt of a capture. */
export interface TranscriptCapturesTable {
  id: string
  agent_id: string
  session_key: string
  harness: string
  project: string | null
  /** `inline`: the file is ours and is deleted after the capture; `file`: it belongs to the harness. */
  source: string
  path: string
  status: string
  error: string | null
  /** The body that its messages were written to. */
  body_id: string | null
  /** A replaced body that is still to be deleted. */
  stale_body_id: string | null
  /** Bytes of the record of transcripts before this one was appended; null before that. */
  record_size: number | null
  captured_at: string
  created_at: string
  completed_at: string | null
}

/** Tables of transcripts and their capture. */
export interface TranscriptSchema {
  transcripts: TranscriptsTable
  transcript_messages: TranscriptMessagesTable
  transcript_chunks: TranscriptChunksTable
  transcript_captures: TranscriptCapturesTable
}

/** Continuity of a session: how much of the memories shown to it was used. */
export interface ContinuityScoresTable {
  id: string
  agent_id: string
  session_key: string
  project: string | null
  harness: string
  /** `memories_used` divided by `memories_recalled`. */
  score: number
  memories_recalled: number
  memories_used: number
  /** Memories the session saved, that is, context it did not get from memory. */
  novel_context_count: number
  reasoning: string
  created_at: string
}

/** Uses of tools between two prompts of a session. */
export interface SessionTurnsTable {
  agent_id: string
  session_key: string
  turn: number
  project: string | null
  at: string
  /** Beginning of the prompt. */
  asked: string
  /** JSON of tools, files, commands and commits. */
  work: string
  /** JSON of the commands that ran tests, with their outcome. */
  tests: string | null
}

/** A file that a turn read or changed. */
export interface SessionFilesTable {
  path: string
  at: string
  agent_id: string
  session_key: string
  turn: number
  changed: number
}

export interface ContinuitySchema {
  continuity_scores: ContinuityScoresTable
  session_turns: SessionTurnsTable
  session_files: SessionFilesTable
}
