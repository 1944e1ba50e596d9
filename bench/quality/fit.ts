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
  /** Undefined when nothing was found at all. */
  signs: Signs | undefined
  /** Whether any of the first 20 rows answers, and whether the first does. */
  found: boolean
  right: boolean
  /** Without the cut-off; 0 of foreign questions. */
  'R@10': number
}

/** The two models, and the odds of `answered` below which nothing is shown: they are counted from there. */
export interface ConfidenceModels {
  answered: LogisticModel
  right: LogisticModel
  threshold: number
}

/** How models do on one set; shares 0..1. */
export interface FitFigures {
  /** Foreign questions that are answered with nothing. */
  nothing: number
  /** `R@10` of own questions that are answered with nothing. */
  lost: number
  /** Of the chance that the best row answers, in nats, over own and foreign questions. */
  logLoss: number
}

/**
 * R@10 that the threshold may cost a set. Nearly half of the developer questions share one word or none with an answer: by
 * words alone they cannot be told from noise, and held to a point they would leave no threshold to the others.
 */
const mayLose = (set: string): number => (set === 'developer' ? 0.03 : 0.01)
/** An own question counts this many foreign ones, by its R@10 and a little more. */
const ownWeight = 4
const leastRecall = 0.05
/** Share of foreign questions where chances are judged: a memory is seldom asked for nothing. */
const foreignShare = 1 / 3
const ridge = { answered: 1e-4, right: 0.01 }

/** @returns what the questions of a set teach */
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

/** Fits both models, sets counting alike, and the highest threshold that no set loses too much by. */
export function fitConfidence(cases: readonly FitCase[]): ConfidenceModels {
  const found = cases.filter(one => !one.own || one.found)
  const answered = fitLogistic(answeredExamples(found), ridge.answered)
  const right = fitLogistic(rightExamples(cases), ridge.right)
  const thresholds = bySet(cases).map(([, ofSet]) => thresholdOf(ofSet, answered))
  return { answered, right, threshold: Math.min(...thresholds) }
}

/** @returns the same models with the highest threshold that these cases alone allow: shows which set holds the others back */
export function withOwnThreshold(models: ConfidenceModels, cases: readonly FitCase[]): ConfidenceModels {
  return { ...models, threshold: thresholdOf(cases, models.answered) }
}

/** @returns the models that are in force */
export function modelsInForce(): ConfidenceModels {
  const { answered, right } = weights.confidence
  return { answered: modelOf('answered', answered), right: modelOf('right', right), threshold: 0 }
}

/** @param cases of one set */
export function figuresOf(cases: readonly FitCase[], models: ConfidenceModels): FitFigures {
  const isNothing = ({ signs }: FitCase) => oddsOf(signs, models.answered) < models.threshold
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

/** Own and foreign questions of every set in equal parts; own ones weigh more the more there is to lose. */
function answeredExamples(cases: readonly FitCase[]): Example[] {
  const weightOf = (one: FitCase) => (one.own ? ownWeight * (one['R@10'] + leastRecall) : 1)
  return [true, false].flatMap(own =>
    examplesOf(
      cases.filter(one => one.own === own),
      'answered',
      ({ found }) => found,
      weightOf,
    ),
  )
}

/** Own questions alone: this model is asked what holds where something is about the query. */
function rightExamples(cases: readonly FitCase[]): Example[] {
  return examplesOf(
    cases.filter(({ own }) => own),
    'right',
    ({ right }) => right,
    () => 1,
  )
}

/** Each set counts as one, however many questions it has. */
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

/** The odds below which a set loses no more than it may: those of the first question that would be too much. */
function thresholdOf(cases: readonly FitCase[], answered: LogisticModel): number {
  const own = cases.filter(one => one.own)
  const ranked = own
    .map(one => ({ odds: oddsOf(one.signs, answered), recall: one['R@10'] }))
    .toSorted((a, b) => a.odds - b.odds)
  let lost = 0
  for (const { odds, recall } of ranked) {
    lost += recall / own.length
    if (lost > mayLose(cases[0]!.set)) return odds
  }
  return ranked.at(-1)?.odds ?? Infinity
}

const oddsOf = (signs: Signs | undefined, answered: LogisticModel): number =>
  signs ? predict(answered, featuresOf(signs, 'answered')) : -Infinity

/** The chance that the best row answers, as a recall tells it. */
function chanceOf(signs: Signs | undefined, { answered, right, threshold }: ConfidenceModels): number {
  if (!signs) return 0
  return logistic(oddsOf(signs, answered) - threshold) * logistic(predict(right, featuresOf(signs, 'right')))
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
