import type { QualityQuestion, QualitySet, StoredMemory } from './quality-set.js'

interface RawTurn {
  speaker: string
  dia_id: string
  text: string
  blip_caption?: string
}

/** A long conversation in many sessions, with questions whose evidence turns are known. */
export interface RawDialogue {
  sample_id: string
  conversation: Record<string, string | RawTurn[] | undefined>
  qa: { question: string; category: number; evidence?: unknown[] }[]
}

/** Categories with evidence; category 5 has questions that the dialogue does not answer. */
const answeredCategories = 4

/**
 * Converts dialogues in the LoCoMo format (a JSON array of samples): each turn becomes one memory. Questions
 * without evidence turns are skipped.
 * @throws Error when a session has no date
 */
export function dialogueSet(name: string, dialogues: readonly RawDialogue[]): QualitySet {
  return {
    name,
    family: 'dialogues',
    rows: dialogues.flatMap(turnsOf),
    questions: dialogues.flatMap(questionsOf),
    unanswerable: dialogues.flatMap(({ sample_id: project, qa }) =>
      qa
        .filter(({ category }) => category > answeredCategories)
        .map(({ question }) => ({ query: question, project })),
    ),
  }
}

function turnsOf({ sample_id: project, conversation }: RawDialogue): StoredMemory[] {
  const turns: StoredMemory[] = []
  for (let n = 1; conversation[`session_${n}_date_time`] !== undefined; n++) {
    const start = sessionStart(String(conversation[`session_${n}_date_time`]))
    const session = `${project}/session_${n}`
    const said = (conversation[`session_${n}`] ?? []) as RawTurn[]
    for (const [i, turn] of said.entries()) {
      const image = turn.blip_caption ? ` [shared image: ${turn.blip_caption}]` : ''
      turns.push({
        id: `${project}/${turn.dia_id}`,
        content: `${turn.speaker}: ${turn.text}${image}`,
        hints: [],
        who: turn.speaker,
        project,
        createdAt: start + i * 1000,
        session,
      })
    }
  }
  return turns
}

function questionsOf(dialogue: RawDialogue): QualityQuestion[] {
  const project = dialogue.sample_id
  const known = new Set(turnsOf(dialogue).map(({ id }) => id))
  return dialogue.qa
    .filter(({ category }) => category >= 1 && category <= answeredCategories)
    .map(({ question, category, evidence }) => ({
      query: question,
      project,
      category: String(category),
      evidence: evidenceIds(evidence ?? [])
        .map(id => `${project}/${id}`)
        .filter(id => known.has(id)),
    }))
    .filter(({ evidence }) => evidence.length > 0)
}

/** The evidence lists contain slips such as "D8:6; D9:17" or "D:11:26". */
function evidenceIds(list: readonly unknown[]): string[] {
  const ids = new Set<string>()
  for (const entry of list) {
    for (const [, session, turn] of String(entry).matchAll(/D:?(\d+):(\d+)/g)) {
      ids.add(`D${Number(session)}:${Number(turn)}`)
    }
  }
  return [...ids]
}

/** Parses "1:56 pm on 8 May, 2023" as UTC. */
function sessionStart(text: string): number {
  const match = /^(\d{1,2}):(\d{2}) ([ap])m on (.+)$/.exec(text.trim())
  const day = match ? Date.parse(`${match[4]} UTC`) : Number.NaN
  if (!match || Number.isNaN(day)) throw new Error(`Invalid session date "${text}"`)
  const hours = (Number(match[1]) % 12) + (match[3] === 'p' ? 12 : 0)
  return day + (hours * 60 + Number(match[2])) * 60_000
}
