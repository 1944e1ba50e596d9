import { readFile } from 'node:fs/promises'
import { RankedIndex } from './recall-system.js'

interface DeveloperSet {
  memories: {
    id: string
    content: string
    hints: string[]
    who: string
    project: string
    createdAt: string
    session: string | null
  }[]
  questions: { query: string; answers: string[] }[]
  unanswerable: string[]
}

/** Ordinary memories of developers: how often the answer is first or among five, and what noise comes back. */
export interface DeveloperQuality {
  questions: number
  'hits@1': number
  'hits@5': number
  /** Questions with an answer that the default cut-off left without any row. */
  lost: number
  unanswerable: number
  /** Questions without an answer that got rows all the same. */
  falsePositives: number
  /** Queries in question: for a look at what went wrong. */
  notFirst: string[]
  falsePositiveQueries: string[]
}

/** Runs the questions of `developer-memories.json` against the index and the ranking. */
export async function measureDeveloperMemories(): Promise<DeveloperQuality> {
  const file = new URL('developer-memories.json', import.meta.url)
  const { memories, questions, unanswerable } = JSON.parse(await readFile(file, 'utf8')) as DeveloperSet
  const index = new RankedIndex()
  for (const memory of memories) index.add({ ...memory, createdAt: Date.parse(memory.createdAt) })
  const recall = (query: string) => index.recall(query, memories[0]!.project, 5)
  const ranks = new Map<string, number>()
  const empty: string[] = []
  for (const { query, answers } of questions) {
    const ids = await recall(query)
    if (ids.length === 0) empty.push(query)
    ranks.set(
      query,
      ids.findIndex(id => answers.includes(id)),
    )
  }
  const noisy: string[] = []
  for (const query of unanswerable) if ((await recall(query)).length > 0) noisy.push(query)
  const found = [...ranks.values()]
  return {
    questions: questions.length,
    'hits@1': found.filter(rank => rank === 0).length,
    'hits@5': found.filter(rank => rank >= 0).length,
    lost: empty.length,
    unanswerable: unanswerable.length,
    falsePositives: noisy.length,
    notFirst: [...ranks].filter(([, rank]) => rank !== 0).map(([query]) => query),
    falsePositiveQueries: noisy,
  }
}
