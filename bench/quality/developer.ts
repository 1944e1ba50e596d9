import { indexOf } from './ask-set.js'
import {
  type DeveloperArea,
  developerQualitySet,
  type QuestionKind,
  questionKinds,
  readDeveloperSet,
} from './developer-set.js'
import { meanScores, scoreQuestion } from './metrics.js'

const limit = 10

/** Scores of questions with an answer: counts, and `R@10` and `MRR` in percent. */
export interface AnsweredQuality {
  questions: number
  'hits@1': number
  'hits@5': number
  'R@10': number
  MRR: number
  /** Questions for which the default cut-off removed every row. */
  lost: number
}

/** Result of questions without an answer. */
export interface NoiseQuality {
  questions: number
  /** Questions that returned rows. */
  falsePositives: number
}

/**
 * Quality on ordinary developer memories: how often the answer is first or in the top five, and how many
 * false positives.
 */
export interface DeveloperQuality extends AnsweredQuality {
  memories: number
  byKind: Record<QuestionKind, AnsweredQuality>
  unanswerable: number
  falsePositives: number
  near: NoiseQuality
  foreign: NoiseQuality
  /** Queries to inspect. */
  notFirst: string[]
  falsePositiveQueries: string[]
  /** Questions whose first row is not an answer, with the first five ids returned. */
  misses: { kind: QuestionKind; query: string; answers: string[]; got: string[] }[]
}

/**
 * Runs the questions of `bench/quality/developer` against the index and the ranking, all rows in one store.
 */
export async function measureDeveloperMemories(areas?: readonly DeveloperArea[]): Promise<DeveloperQuality> {
  const set = await readDeveloperSet(areas)
  const index = indexOf(developerQualitySet(set))
  const recall = (query: string, project: string | null = null) => index.recall(query, project, limit)
  const asked: AskedQuestion[] = []
  for (const { query, kind, project, answers } of set.questions) {
    const ranked = await recall(query, project)
    asked.push({ query, kind, answers, ranked, rank: ranked.findIndex(id => answers.includes(id)) })
  }
  const noisy: (typeof set.unanswerable)[number][] = []
  for (const question of set.unanswerable) {
    if ((await recall(question.query, question.project)).length > 0) noisy.push(question)
  }
  const noise = (kind: string): NoiseQuality => ({
    questions: set.unanswerable.filter(question => question.kind === kind).length,
    falsePositives: noisy.filter(question => question.kind === kind).length,
  })
  const missed = asked.filter(({ rank }) => rank !== 0)
  return {
    memories: set.memories.length,
    ...answered(asked),
    byKind: Object.fromEntries(
      questionKinds.map(kind => [kind, answered(asked.filter(question => question.kind === kind))]),
    ) as Record<QuestionKind, AnsweredQuality>,
    unanswerable: set.unanswerable.length,
    falsePositives: noisy.length,
    near: noise('near'),
    foreign: noise('foreign'),
    notFirst: missed.map(({ query }) => query),
    falsePositiveQueries: noisy.map(({ query }) => query),
    misses: missed.map(({ kind, query, answers, ranked }) => ({
      kind,
      query,
      answers,
      got: ranked.slice(0, 5),
    })),
  }
}

interface AskedQuestion {
  query: string
  kind: QuestionKind
  answers: string[]
  ranked: string[]
  /** Rank of the first answer, from 0; -1 when no answer was returned. */
  rank: number
}

function answered(asked: readonly AskedQuestion[]): AnsweredQuality {
  const scores = meanScores(asked.map(({ ranked, answers }) => scoreQuestion(ranked, answers)))
  return {
    questions: asked.length,
    'hits@1': asked.filter(({ rank }) => rank === 0).length,
    'hits@5': asked.filter(({ rank }) => rank >= 0 && rank < 5).length,
    'R@10': scores['R@10'],
    MRR: scores.MRR,
    lost: asked.filter(({ ranked }) => ranked.length === 0).length,
  }
}

/** @returns the lines of a report, with a table by kind at the end */
export function developerReport(quality: DeveloperQuality): string[] {
  const row = (name: string, part: AnsweredQuality) =>
    `| ${name} | ${part.questions} | ${part['hits@1']} | ${part['hits@5']} | ${part['R@10'].toFixed(1)} | ` +
    `${part.MRR.toFixed(1)} | ${part.lost} |`
  const { near, foreign } = quality
  return [
    `developer memories: ${quality.memories}; false positives near ${near.falsePositives} of ${near.questions}, ` +
      `foreign ${foreign.falsePositives} of ${foreign.questions}`,
    '| questions | count | first | in five | R@10 | MRR | lost |',
    `|---|${'--:|'.repeat(6)}`,
    ...questionKinds.map(kind => row(kind, quality.byKind[kind])),
    row('all', quality),
  ]
}
