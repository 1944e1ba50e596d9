import { steps } from '../../src/daemon/memory/recall/ranking/steps.js'
import { weakTerms } from '../../src/store/index/words/analysis/analyzer.js'
import { type AskedQuestion, askAll, idsOf } from './ask-set.js'
import { type Interval, inPoints, pairedDifferences } from './paired.js'
import type { QualityQuestion, QualitySet } from './quality-set.js'
import type { RankedIndex } from './recall-system.js'
import { scoresOf } from './systems.js'
import { markdownTable } from './table.js'

/** The score of the full ranking minus that without one part, before any cut-off. */
export interface Ablation {
  part: string
  'R@10': Interval
  MRR: Interval
}

/** Steps that can be omitted, each name once. */
const optionalSteps = [...new Set(steps.filter(({ optional }) => optional).map(({ name }) => name))]

/** Omits each optional step in turn, all of them at once, and the lower weight of weak words. */
export async function measureAblation(
  set: QualitySet,
  index: RankedIndex,
  asked: readonly AskedQuestion<QualityQuestion>[],
): Promise<Ablation[]> {
  const whole = scoresOf(set, asked.map(listOf)).scores
  const gainOver = (part: string, lists: string[][]): Ablation => {
    const { 'R@10': recall, MRR } = pairedDifferences(whole, scoresOf(set, lists).scores)
    return { part, 'R@10': recall, MRR }
  }
  const without = (names: readonly string[]) =>
    asked.map(({ question, hits }) => idsOf(index.rank(question.query, hits, new Set(names)).ranked))
  const plain = await withoutWeakWords(() => askAll(index, set.questions))
  return [
    ...optionalSteps.map(name => gainOver(name, without([name]))),
    gainOver('all optional steps', without(optionalSteps)),
    gainOver('weak words', plain.map(listOf)),
  ]
}

/**
 * Formats a table of each part's gain with sets side by side, and lists parts without any effect below it.
 */
export function ablationReport(sets: readonly { name: string; ablation: readonly Ablation[] }[]): string[] {
  const parts = (sets[0]?.ablation ?? []).map(({ part }) => part)
  const of = (part: string) => sets.map(({ ablation }) => ablation.find(one => one.part === part)!)
  const isIdle = (part: string) => of(part).every(gain => isNothing(gain['R@10']) && isNothing(gain.MRR))
  const idle = parts.filter(isIdle)
  const table = markdownTable(
    ['R@10, MRR', ...sets.map(({ name }) => name)],
    parts
      .filter(part => !idle.includes(part))
      .map(part => [part, ...of(part).map(gain => `${inPoints(gain['R@10'])}, ${inPoints(gain.MRR)}`)]),
  )
  return idle.length === 0 ? table : [...table, '', `Without effect in these sets: ${idle.join(', ')}.`]
}

const isNothing = ({ mean, half }: Interval): boolean => mean === 0 && half === 0

const listOf = ({ answer }: AskedQuestion<QualityQuestion>): string[] => idsOf(answer.ranked)

/**
 * Clears the shared list of weak words while `run` works; nothing else in this process ranks at that time.
 */
async function withoutWeakWords<T>(run: () => Promise<T>): Promise<T> {
  const words = weakTerms as Set<string>
  const kept = [...words]
  words.clear()
  try {
    return await run()
  } finally {
    for (const word of kept) words.add(word)
  }
}
