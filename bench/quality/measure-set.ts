import { type Ablation, measureAblation } from './ablation.js'
import { type AskedQuestion, askAll, indexOf } from './ask-set.js'
import { type Bin, calibrationOf } from './calibration.js'
import { type ClaimsGain, measureClaims } from './claims.js'
import { casesOf, type FitCase } from './fit.js'
import { foreignQuestions } from './foreign.js'
import { meanScores, type QuestionScores } from './metrics.js'
import { bestScore, type NoAnswerQuality, noAnswerQuality, type SetAnswers } from './no-answer.js'
import { type Interval, pairedDifferences } from './paired.js'
import type { QualityQuestion, QualitySet } from './quality-set.js'
import type { RowVectors } from './recall-system.js'
import { measureSystems, type SystemAnswers } from './systems.js'

/** Mean scores in percent of one system over a set, and the product's lead over it (0..1). */
export interface SystemQuality {
  system: string
  overall: QuestionScores
  /** Scores with rows grouped into units; undefined for a set without units. */
  byUnit: QuestionScores | undefined
  ahead: Record<keyof QuestionScores, Interval> | undefined
  aheadByUnit: Record<keyof QuestionScores, Interval> | undefined
  queryMs: number | undefined
}

export interface SetQuality {
  name: string
  rows: number
  questions: number
  systems: SystemQuality[]
  noAnswer: NoAnswerQuality
  calibration: Bin[]
  ablation: Ablation[] | undefined
  claims: ClaimsGain | undefined
}

/**
 * One question, with the rank of every evidence row in each system: from 1, 0 when it is not in the top 20.
 */
export interface QuestionDetail extends QualityQuestion {
  ranks: Record<string, number[]>
  bestScore: number
  /** Rows that pass the cut-off, at most 20. */
  shown: number
}

/** A set's summary with the data behind it. */
export interface MeasuredSet {
  quality: SetQuality
  details: QuestionDetail[]
  cases: FitCase[]
}

/**
 * Measures one set.
 * @param all every set of the run; questions of other families serve as foreign questions
 */
export async function measureSet(
  set: QualitySet,
  all: readonly QualitySet[],
  wanted: { ablation: boolean; claims?: boolean; vectors?: RowVectors | undefined },
): Promise<MeasuredSet> {
  const index = indexOf(set, wanted.vectors)
  const answers: SetAnswers = {
    own: await askAll(index, set.questions),
    foreign: await askAll(index, foreignQuestions(set, all)),
    unanswerable: await askAll(index, set.unanswerable),
  }
  const systems = await measureSystems(set, answers.own)
  const quality: SetQuality = {
    name: set.name,
    rows: set.rows.length,
    questions: set.questions.length,
    systems: systems.map(system => qualityOf(system, systems[0]!)),
    noAnswer: noAnswerQuality(answers, systems),
    calibration: calibrationOf(answers),
    ablation: wanted.ablation ? await measureAblation(set, index, answers.own) : undefined,
    claims: wanted.claims ? await measureClaims(set, index, answers.own) : undefined,
  }
  const details = answers.own.map((asked, i) => detailOf(asked, systems, i))
  return { quality, details, cases: casesOf(set.name, answers) }
}

function qualityOf(system: SystemAnswers, product: SystemAnswers): SystemQuality {
  const { scores, unitScores } = system
  const isOther = system !== product
  return {
    system: system.system,
    overall: meanScores(scores),
    byUnit: unitScores && meanScores(unitScores),
    ahead: isOther ? pairedDifferences(product.scores, scores) : undefined,
    aheadByUnit: isOther && unitScores ? pairedDifferences(product.unitScores!, unitScores) : undefined,
    queryMs: system.queryMs,
  }
}

function detailOf(
  asked: AskedQuestion<QualityQuestion>,
  systems: readonly SystemAnswers[],
  i: number,
): QuestionDetail {
  const { question, shown } = asked
  const ranks = systems.map(({ system, lists }) => [
    system,
    question.evidence.map(id => lists[i]!.indexOf(id) + 1),
  ])
  return { ...question, ranks: Object.fromEntries(ranks), bestScore: bestScore(asked), shown: shown.length }
}
