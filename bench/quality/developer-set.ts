import { readFile } from 'node:fs/promises'
import type { memoryTypes } from '../../src/contract/ground/wire-names.js'
import type { QualitySet } from './quality-set.js'

/** The day on which the questions are asked, so that "last spring" means the same in every run. */
const developerAskedAt = Date.parse('2026-11-20T12:00:00Z')

/**
 * The files of `bench/quality/developer`: one for each project, and one with questions across all of them.
 */
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
 * Kinds of questions. `direct` shares words with its answer and `paraphrase` uses others. `indirect` states a
 * task to which a preference, rule, decision or procedure applies. `identifier` is a path, flag, version or
 * error text; `time` asks by date and `who` for people.
 */
export const questionKinds = ['direct', 'paraphrase', 'indirect', 'identifier', 'time', 'who'] as const
export type QuestionKind = (typeof questionKinds)[number]

/** Questions without an answer: about the same projects, or about an unrelated subject. */
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

interface KindOfQuestion<Kind> {
  query: string
  kind: Kind
  /** Project to search; all projects when absent. */
  project?: string
}

export interface DeveloperQuestion extends KindOfQuestion<QuestionKind> {
  /** Ids of every row that answers. */
  answers: string[]
}

export interface DeveloperSet {
  memories: DeveloperMemory[]
  questions: DeveloperQuestion[]
  unanswerable: KindOfQuestion<UnanswerableKind>[]
}

/** Reads the given areas into one set; a question's answers may be in another file. */
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

/**
 * Converts the set to the common format: rows of several projects in one store, with questions for one
 * project or for all.
 */
export function developerQualitySet({ memories, questions, unanswerable }: DeveloperSet): QualitySet {
  const ask = ({ query, project = null }: { query: string; project?: string | null }) => ({ query, project })
  return {
    name: 'developer',
    family: 'developer',
    rows: memories.map(({ hints = [], session = null, ...memory }) => ({
      ...memory,
      hints,
      session,
      createdAt: Date.parse(memory.createdAt),
    })),
    questions: questions.map(question => ({
      ...ask(question),
      category: question.kind,
      evidence: question.answers,
    })),
    unanswerable: unanswerable.filter(({ kind }) => kind === 'near').map(ask),
    foreign: unanswerable.filter(({ kind }) => kind === 'foreign').map(ask),
    askedAt: developerAskedAt,
  }
}
