import { confidenceModels } from '../../src/daemon/memory/recall/ranking/confidence.js'
import {
  bySet,
  type ConfidenceModels,
  type FitCase,
  type FitFigures,
  figuresOf,
  fitConfidence,
  type JudgedBy,
  modelsInForce,
  withOwnThreshold,
} from './fit.js'
import type { LogisticModel } from './logistic.js'
import { markdownTable, percent } from './table.js'

/** Scores on one set of the current models, the new models, and new models fitted without that set. */
interface SetFit {
  set: string
  inForce: FitFigures
  fitted: FitFigures
  /** Scores with the threshold that this set alone would allow. */
  ownThreshold: FitFigures
  leftOut: FitFigures
}

/** New weights by their names, and their scores on each set. */
export interface FitResult {
  weights: Record<string, Record<string, number>>
  sets: SetFit[]
}

/** Fits over all sets together, and once without each set. */
export function measureFit(cases: readonly FitCase[], by: JudgedBy): FitResult {
  const fitted = fitConfidence(cases, by)
  const inForce = modelsInForce(by)
  const sets = bySet(cases)
  return {
    weights: weightsOf(fitted),
    sets: sets.map(([set, ofSet]) => ({
      set,
      inForce: figuresOf(ofSet, inForce),
      fitted: figuresOf(ofSet, fitted),
      ownThreshold: figuresOf(ofSet, withOwnThreshold(fitted, ofSet)),
      leftOut: figuresOf(
        ofSet,
        fitConfidence(
          cases.filter(one => one.set !== set),
          by,
        ),
      ),
    })),
  }
}

/**
 * Formats the weights as in weights.ts, and a table: % of foreign questions answered with nothing, points of
 * R@10 lost, log loss.
 */
export function fitReport({ weights, sets }: FitResult): string[] {
  const shown = ({ nothing, lost, logLoss }: FitFigures) =>
    `${percent(nothing)}, ${percent(lost)}, ${logLoss.toFixed(3)}`
  const lines = Object.entries(weights).map(([name, values]) => {
    const entries = Object.entries(values).map(([feature, value]) => `${feature}: ${value}`)
    return `    ${name}: { ${entries.join(', ')} },`
  })
  return [
    ...markdownTable(
      [
        'nothing for foreign %, R@10 lost, log loss',
        'in force',
        'fitted',
        'its own threshold',
        'fitted without the set',
      ],
      sets.map(({ set, inForce, fitted, ownThreshold, leftOut }) => [
        set,
        ...[inForce, fitted, ownThreshold, leftOut].map(shown),
      ]),
    ),
    '',
    'weights.confidence:',
    ...lines,
  ]
}

/** Subtracts the threshold from the constant, so that odds below 0 show nothing. */
function weightsOf({ by, answered, right, threshold }: ConfidenceModels): FitResult['weights'] {
  const shifted = { ...answered, constant: answered.constant - threshold }
  return by === 'words'
    ? { answered: named('answered', shifted), right: named('right', right) }
    : {
        answeredByMeaning: named('answeredByMeaning', shifted),
        rightByMeaning: named('right', right),
      }
}

function named(name: keyof typeof confidenceModels, model: LogisticModel): Record<string, number> {
  const values = [...model.coefficients, model.constant].map(value => Number(value.toPrecision(4)))
  const names = [...Object.keys(confidenceModels[name]), 'constant']
  return Object.fromEntries(names.map((feature, i) => [feature, values[i]!]))
}
