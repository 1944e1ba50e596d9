import type { QualitySet } from './quality-set.js'

interface RawRow {
  id: string | number
  content: string
  /** Not used; in chats it only says which of the two people wrote. */
  who?: string
  session?: string
  /** ISO 8601. */
  createdAt?: string
}

interface RawGroup {
  id: string
  rows: RawRow[]
  questions: { question: string; category?: string | number; evidence: (string | number)[] }[]
  unanswerable?: string[]
}

/** A set whose rows are in groups, each a project of its own. */
export interface RawGroupedSet {
  name?: string
  family?: string
  /** Rows 2n and 2n + 1 are a message and its reply. */
  pairs?: boolean
  groups: RawGroup[]
}

/** The same date for all rows without one. */
const undated = Date.UTC(2026, 0, 1)

/** @param name for a set that does not contain one */
export function groupedSet(name: string, raw: RawGroupedSet): QualitySet {
  const idIn = (group: RawGroup) => (row: string | number) => `${group.id}/${row}`
  const set: QualitySet = {
    name: raw.name ?? name,
    family: raw.family ?? raw.name ?? name,
    rows: raw.groups.flatMap(group => group.rows.map(row => rowOf(group, row))),
    questions: raw.groups.flatMap(group =>
      group.questions.map(({ question, category, evidence }) => ({
        query: question,
        project: group.id,
        category: String(category ?? ''),
        evidence: evidence.map(idIn(group)),
      })),
    ),
    unanswerable: raw.groups.flatMap(({ id, unanswerable = [] }) =>
      unanswerable.map(query => ({ query, project: id })),
    ),
  }
  if (!raw.pairs) return set
  const exchange = (group: RawGroup, row: string | number) => `${group.id}/exchange ${Number(row) >> 1}`
  const pairs = raw.groups.flatMap(group =>
    group.rows.map(({ id }) => [idIn(group)(id), exchange(group, id)] as const),
  )
  return { ...set, units: new Map(pairs) }
}

function rowOf(group: RawGroup, { id, content, session, createdAt }: RawRow): QualitySet['rows'][number] {
  return {
    id: `${group.id}/${id}`,
    content,
    hints: [],
    who: null,
    project: group.id,
    createdAt: createdAt === undefined ? undated : Date.parse(createdAt),
    session: session === undefined ? null : `${group.id}/${session}`,
  }
}
