import { readFile } from 'node:fs/promises'
import type { memoryTypes } from '../../src/contract/ground/fields.js'

/** The files of `bench/quality/developer`: one for each project, and questions across all of them. */
export const developerAreas = [
  'shop-first',
  'shop',
  'pipeline',
  'app',
  'infra',
  'ferry',
  'personal',
  'across',
] as const
export type DeveloperArea = (typeof developerAreas)[number]

/**
 * What kind of question it is: `direct` shares words with its answer, `paraphrase` asks in others, `indirect` states
 * a task to which a standing preference, rule, decision or procedure applies, `identifier` is a path, flag, version
 * or error text, `time` asks by date and `who` for people.
 */
export const questionKinds = ['direct', 'paraphrase', 'indirect', 'identifier', 'time', 'who'] as const
export type QuestionKind = (typeof questionKinds)[number]

/** Questions that no row answers: about the same projects, or about something else altogether. */
export const unanswerableKinds = ['near', 'foreign'] as const
export type UnanswerableKind = (typeof unanswerableKinds)[number]

export interface DeveloperMemory {
  id: string
  content: string
  type: (typeof memoryTypes)[number]
  who: string
  /** ISO 8601. */
  createdAt: string
  project: string
  tags?: string[]
  hints?: string[]
  session?: string | null
}

interface Asked<Kind> {
  query: string
  kind: Kind
  /** Where it is asked; over all projects when absent. */
  project?: string
}

export interface DeveloperQuestion extends Asked<QuestionKind> {
  /** Ids of every row that answers. */
  answers: string[]
}

export interface DeveloperSet {
  memories: DeveloperMemory[]
  questions: DeveloperQuestion[]
  unanswerable: Asked<UnanswerableKind>[]
}

/** Reads the named files into one set; answers may stand in another file than their question. */
export async function readDeveloperSet(
  areas: readonly DeveloperArea[] = developerAreas,
): Promise<DeveloperSet> {
  const sets = await Promise.all(
    areas.map(async area => {
      const text = await readFile(new URL(`developer/${area}.json`, import.meta.url), 'utf8')
      return JSON.parse(text) as DeveloperSet
    }),
  )
  return {
    memories: sets.flatMap(({ memories }) => memories),
    questions: sets.flatMap(({ questions }) => questions),
    unanswerable: sets.flatMap(({ unanswerable }) => unanswerable),
  }
}
