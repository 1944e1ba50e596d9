import { readFile } from 'node:fs/promises'

/** One turn of a dialogue: what a client would remember as one memory. */
export interface Turn {
  id: string
  speaker: string
  content: string
  /** Milliseconds since the epoch. */
  createdAt: number
  session: string
}

/** A long conversation in many sessions, and questions whose evidence turns are known. */
export interface Dialogue {
  project: string
  turns: Turn[]
  questions: { query: string; category: number; evidence: string[] }[]
}

interface RawTurn {
  speaker: string
  dia_id: string
  text: string
  blip_caption?: string
}

interface RawSample {
  sample_id: string
  conversation: Record<string, string | RawTurn[] | undefined>
  qa: { question: string; category: number; evidence?: unknown[] }[]
}

/** Categories with evidence; 5 holds questions that the dialogue does not answer. */
const answeredCategories = 4

/**
 * Reads dialogues in the LoCoMo format (a JSON array of samples). Questions without evidence turns are left out.
 *
 * @throws Error when the file cannot be read or a session has no date
 */
export async function readDialogues(path: string): Promise<Dialogue[]> {
  const samples = JSON.parse(await readFile(path, 'utf8')) as RawSample[]
  return samples.map(toDialogue)
}

function toDialogue({ sample_id: project, conversation, qa }: RawSample): Dialogue {
  const turns: Turn[] = []
  for (let n = 1; conversation[`session_${n}_date_time`] !== undefined; n++) {
    const start = sessionStart(String(conversation[`session_${n}_date_time`]))
    const session = `${project}/session_${n}`
    const said = (conversation[`session_${n}`] ?? []) as RawTurn[]
    for (const [i, turn] of said.entries()) {
      const image = turn.blip_caption ? ` [shared image: ${turn.blip_caption}]` : ''
      const content = `${turn.speaker}: ${turn.text}${image}`
      turns.push({ id: turn.dia_id, speaker: turn.speaker, content, createdAt: start + i * 1000, session })
    }
  }
  const known = new Set(turns.map(({ id }) => id))
  const questions = qa
    .filter(({ category }) => category >= 1 && category <= answeredCategories)
    .map(({ question, category, evidence }) => ({
      query: question,
      category,
      evidence: evidenceIds(evidence ?? []).filter(id => known.has(id)),
    }))
    .filter(({ evidence }) => evidence.length > 0)
  return { project, turns, questions }
}

/** The lists hold slips such as "D8:6; D9:17" or "D:11:26". */
function evidenceIds(list: readonly unknown[]): string[] {
  const ids = new Set<string>()
  for (const entry of list) {
    for (const [, session, turn] of String(entry).matchAll(/D:?(\d+):(\d+)/g)) {
      ids.add(`D${Number(session)}:${Number(turn)}`)
    }
  }
  return [...ids]
}

/** "1:56 pm on 8 May, 2023" in UTC. */
function sessionStart(text: string): number {
  const match = /^(\d{1,2}):(\d{2}) ([ap])m on (.+)$/.exec(text.trim())
  const day = match ? Date.parse(`${match[4]} UTC`) : Number.NaN
  if (!match || Number.isNaN(day)) throw new Error(`"${text}" is no session date`)
  const hours = (Number(match[1]) % 12) + (match[3] === 'p' ? 12 : 0)
  return day + (hours * 60 + Number(match[2])) * 60_000
}
