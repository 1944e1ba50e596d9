import { confidenceModels, logistic, type Signs } from '../../src/daemon/memory/recall/ranking/confidence.js'
import { weights } from '../../src/daemon/memory/recall/ranking/weights.js'
import { isBestRight } from './calibration.js'
import { type Example, fitLogistic, type LogisticModel, logLoss, predict } from './logistic.js'
import { scoreQuestion } from './metrics.js'
import type { SetAnswers } from './no-answer.js'

/** A question as the models of `weights.confidence` see it. */
export interface FitCase {
  set: string
  own: boolean
  /** Undefined when nothing was found. */
  signs: Signs | undefined
  /** True when any of the first 20 rows is an answer (`found`), or when the first one is (`right`). */
  found: boolean
  right: boolean
  /** Without the cut-off; 0 for foreign questions. */
  'R@10': number
}

/** The evidence by which `answered` is judged. */
export type JudgedBy = 'words' | 'meaning'

/** The two models, and the odds of `answered` below which nothing is shown. */
export interface ConfidenceModels {
  by: JudgedBy
  answered: LogisticModel
  right: LogisticModel
  threshold: number
}

/** Scores of models on one set, as shares 0..1. */
export interface FitFigures {
  /** Foreign questions that are answered with nothing. */
  nothing: number
  /** `R@10` lost to own questions that are answered with nothing. */
  lost: number
  /** Log loss, in nats, of the chance that the best row is an answer, over own and foreign questions. */
  logLoss: number
}

/**
 * R@10 that the threshold may cost a set. Nearly half of the developer questions share at most one word with
 * an answer, so words alone cannot tell them from noise. A limit of one point for that set would leave no
 * threshold for the others.
 */
const mayLose = (set: string): number => (set === 'developer' ? 0.03 : 0.01)
/** Weight of an own question relative to a foreign one, scaled by its R@10 plus a minimum. */
const ownWeight = 4
const leastRecall = 0.05
/** Assumed share of foreign questions when chances are judged: most recalls have an answer. */
const foreignShare = 1 / 3
const ridge = { answered: 1e-4, right: 0.01 }

const answeredBy = { words: 'answered', meaning: 'answeredByMeaning' } as const

/** @returns the training cases of a set's questions */
export function casesOf(set: string, { own, foreign }: Pick<SetAnswers, 'own' | 'foreign'>): FitCase[] {
  return [
    ...own.map((asked): FitCase => {
      const ids = asked.answer.ranked.map(({ id }) => id)
      const scores = scoreQuestion(ids, asked.question.evidence)
      const right = isBestRight(asked)
      return {
        set,
        own: true,
        signs: asked.answer.signs,
        found: scores['R@20'] > 0,
        right,
        'R@10': scores['R@10'],
      }
    }),
    ...foreign.map(
      ({ answer }): FitCase => ({
        set,
        own: false,
        signs: answer.signs,
        found: false,
        right: false,
        'R@10': 0,
      }),
    ),
  ]
}

/** Fits both models with equal weight for each set, and the highest threshold that costs no set too much. */
export function fitConfidence(cases: readonly FitCase[], by: JudgedBy): ConfidenceModels {
  const found = cases.filter(one => !one.own || one.found)
  const answered = fitLogistic(answeredExamples(found, by), ridge.answered)
  const right = fitLogistic(rightExamples(cases), ridge.right)
  const thresholds = bySet(cases).map(([, ofSet]) => thresholdOf(ofSet, { by, answered }))
  return { by, answered, right, threshold: Math.min(...thresholds) }
}

/**
 * @returns the same models with the highest threshold that these cases alone allow; shows which set limits
 * the threshold
 */
export function withOwnThreshold(models: ConfidenceModels, cases: readonly FitCase[]): ConfidenceModels {
  return { ...models, threshold: thresholdOf(cases, models) }
}

/** @returns the current models */
export function modelsInForce(by: JudgedBy): ConfidenceModels {
  const { right, rightByMeaning } = weights.confidence
  return {
    by,
    answered: modelOf(answeredBy[by], weights.confidence[answeredBy[by]]),
    right: modelOf('right', by === 'words' ? right : rightByMeaning),
    threshold: 0,
  }
}

/** @param cases of one set */
export function figuresOf(cases: readonly FitCase[], models: ConfidenceModels): FitFigures {
  const isNothing = ({ signs }: FitCase) => oddsOf(signs, models) < models.threshold
  const foreign = cases.filter(({ own }) => !own)
  const own = cases.filter(one => one.own)
  const chances = cases.map(one => ({
    chance: chanceOf(one.signs, models),
    label: one.right,
    weight: one.own ? (1 - foreignShare) / own.length : foreignShare / foreign.length,
  }))
  return {
    nothing: foreign.filter(isNothing).length / foreign.length,
    lost: own.filter(isNothing).reduce((sum, one) => sum + one['R@10'], 0) / own.length,
    logLoss: logLoss(chances),
  }
}

/** @returns cases by set, in their order */
export function bySet(cases: readonly FitCase[]): [set: string, cases: FitCase[]][] {
  const names = [...new Set(cases.map(({ set }) => set))]
  return names.map(name => [name, cases.filter(({ set }) => set === name)])
}

/** Own and foreign questions of every set in equal parts; own questions with a higher R@10 weigh more. */
function answeredExamples(cases: readonly FitCase[], by: JudgedBy): Example[] {
  const weightOf = (one: FitCase) => (one.own ? ownWeight * (one['R@10'] + leastRecall) : 1)
  return [true, false].flatMap(own =>
    examplesOf(
      cases.filter(one => one.own === own),
      answeredBy[by],
      ({ found }) => found,
      weightOf,
    ),
  )
}

/** Own questions only: this model is applied only where some row is relevant to the query. */
function rightExamples(cases: readonly FitCase[]): Example[] {
  return examplesOf(
    cases.filter(({ own }) => own),
    'right',
    ({ right }) => right,
    () => 1,
  )
}

/** Gives each set the same total weight, regardless of its number of questions. */
function examplesOf(
  cases: readonly FitCase[],
  model: keyof typeof confidenceModels,
  labelOf: (one: FitCase) => boolean,
  weightOf: (one: FitCase) => number,
): Example[] {
  return bySet(cases).flatMap(([, ofSet]) =>
    ofSet.flatMap((one): Example[] =>
      one.signs
        ? [
            {
              features: featuresOf(one.signs, model),
              label: labelOf(one),
              weight: weightOf(one) / ofSet.length,
            },
          ]
        : [],
    ),
  )
}

/** The odds of the first question whose loss would exceed the set's limit. */
function thresholdOf(cases: readonly FitCase[], models: Pick<ConfidenceModels, 'by' | 'answered'>): number {
  const own = cases.filter(one => one.own)
  const ranked = own
    .map(one => ({ odds: oddsOf(one.signs, models), recall: one['R@10'] }))
    .toSorted((a, b) => a.odds - b.odds)
  let lost = 0
  for (const { odds, recall } of ranked) {
    lost += recall / own.length
    if (lost > mayLose(cases[0]!.set)) return odds
  }
  return ranked.at(-1)?.odds ?? Infinity
}

const oddsOf = (
  signs: Signs | undefined,
  { by, answered }: Pick<ConfidenceModels, 'by' | 'answered'>,
): number => (signs ? predict(answered, featuresOf(signs, answeredBy[by])) : -Infinity)

/** The chance that the best row is an answer, as a recall reports it. */
function chanceOf(signs: Signs | undefined, models: ConfidenceModels): number {
  if (!signs) return 0
  const { right, threshold } = models
  return logistic(oddsOf(signs, models) - threshold) * logistic(predict(right, featuresOf(signs, 'right')))
}

/** @returns the features of a model in the order of its list */
function featuresOf(signs: Signs, model: keyof typeof confidenceModels): number[] {
  return Object.values(confidenceModels[model]).map(feature => feature(signs))
}

function modelOf(
  model: keyof typeof confidenceModels,
  fitted: Readonly<Record<string, number>>,
): LogisticModel {
  const coefficients = Object.keys(confidenceModels[model]).map(name => fitted[name]!)
  return { coefficients, constant: fitted.constant! }
}
