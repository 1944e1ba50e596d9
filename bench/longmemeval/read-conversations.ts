import { createReadStream } from 'node:fs'
import { JSONParser } from '@streamparser/json'
import { dialogueSet, type RawDialogue } from '../quality/dialogues.js'
import type { QualityQuestion, StoredMemory } from '../quality/quality-set.js'

/** A question with the turns that answer it. */
export interface AskedInTime extends QualityQuestion {
  id: string
  /** Milliseconds since the epoch; now when absent. */
  askedAt?: number | undefined
}

/** Turns of conversations, and the questions asked of exactly these turns. */
export interface Conversations {
  /** The same for each reading of the same file. */
  id: string
  turns: readonly StoredMemory[]
  questions: readonly AskedInTime[]
}

interface RawHaystack {
  question_id: string
  question_type: string
  question: string
  question_date?: string
  haystack_session_ids: string[]
  haystack_dates: string[]
  haystack_sessions: { role: string; content: string; has_answer?: boolean }[][]
  answer_session_ids: string[]
}

/** Marks questions that the conversations do not answer. */
const unanswered = '_abs'

/**
 * Reads conversations one after another from a JSON list, so that a file may be larger than the memory: in
 * the format of LongMemEval, where each question has sessions of its own, or in that of LoCoMo. Questions
 * without an answer are skipped, as their authors do.
 * @throws Error when the file cannot be read, or an entry has neither format
 */
export async function* readConversations(path: string): AsyncGenerator<Conversations> {
  const parser = new JSONParser({ paths: ['$.*'], keepStack: false })
  const found: unknown[] = []
  parser.onValue = ({ value }) => found.push(value)
  for await (const part of createReadStream(path)) {
    parser.write(part)
    for (const entry of found.splice(0)) yield conversationsOf(path, entry)
  }
}

function conversationsOf(path: string, entry: unknown): Conversations {
  const isObject = typeof entry === 'object' && entry !== null
  if (isObject && 'haystack_sessions' in entry) return haystackOf(entry as RawHaystack)
  if (isObject && 'conversation' in entry && 'qa' in entry) return dialogueOf(entry as RawDialogue)
  throw new Error(
    `${path} has an entry of an unknown format. Give a list of LongMemEval questions ("haystack_sessions") or LoCoMo samples ("conversation", "qa").`,
  )
}

function haystackOf(raw: RawHaystack): Conversations {
  const id = raw.question_id
  const turns: StoredMemory[] = []
  const evidence: string[] = []
  for (const [n, said] of raw.haystack_sessions.entries()) {
    const session = String(raw.haystack_session_ids[n])
    const start = timeOf(raw.haystack_dates[n])
    for (const [at, { role, content, has_answer: answers }] of said.entries()) {
      const turn = `${session}/${n}/${at}`
      const createdAt = (start ?? 0) + at * 1000
      turns.push({ id: turn, content, hints: [], who: role, project: id, createdAt, session })
      if (answers) evidence.push(turn)
    }
  }
  // Some questions name only the sessions of the answer.
  const inSessions = turns.filter(({ session }) => raw.answer_session_ids.includes(session ?? ''))
  const question: AskedInTime = {
    id,
    query: raw.question,
    project: id,
    category: raw.question_type,
    evidence: evidence.length > 0 ? evidence : inSessions.map(turn => turn.id),
    askedAt: timeOf(raw.question_date),
  }
  const isAsked = !id.endsWith(unanswered) && question.evidence.length > 0
  return { id, turns, questions: isAsked ? [question] : [] }
}

function dialogueOf(raw: RawDialogue): Conversations {
  const { rows, questions } = dialogueSet(raw.sample_id, [raw])
  const ids = questions.map((question, n) => ({ ...question, id: `${raw.sample_id}/${n}` }))
  return { id: raw.sample_id, turns: rows, questions: ids }
}

/** Parses "2023/05/30 (Tue) 23:40" as UTC. */
function timeOf(text: string | undefined): number | undefined {
  const parts = /^(\d{4})\/(\d{2})\/(\d{2})\D*(\d{2}):(\d{2})/u.exec(text ?? '')
  if (!parts) return undefined
  const [year, month, day, hours, minutes] = parts.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ]
  return Date.UTC(year, month - 1, day, hours, minutes)
}
