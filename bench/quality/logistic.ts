import { logistic } from '../../src/daemon/memory/recall/ranking/confidence.js'

/** One training case of a logistic model. */
export interface Example {
  features: readonly number[]
  label: boolean
  /** Relative weight; only shares matter. */
  weight: number
}

/** Log odds of a case: constant + sum of coefficient x feature. */
export interface LogisticModel {
  coefficients: readonly number[]
  constant: number
}

const maxRounds = 100
const settled = 1e-10
/** Limits how far a coefficient moves in one round: Newton's step can be huge where the curve is flat. */
const longestStep = 2
/** Keeps the loss finite when a chance of 0 comes true. */
const leastChance = 1e-9

/**
 * Fits a logistic model with Newton's method. The ridge, on features scaled to variance 1 but not on the
 * constant, keeps coefficients finite when the cases are perfectly separable.
 */
export function fitLogistic(examples: readonly Example[], ridge: number): LogisticModel {
  const scales = scalesOf(examples.map(({ features }) => features))
  const total = examples.reduce((sum, { weight }) => sum + weight, 0)
  const cases = examples.map(({ features, label, weight }) => ({
    row: [...features.map((value, i) => (value - scales[i]!.mean) / scales[i]!.deviation), 1],
    label: label ? 1 : 0,
    weight: weight / total,
  }))
  const solution = new Array<number>(scales.length + 1).fill(0)
  const penalties = solution.map((_, i) => (i < scales.length ? ridge : 0))
  for (let round = 0; round < maxRounds; round++) {
    const gradient = solution.map((value, i) => -penalties[i]! * value)
    const curvature = penalties.map((penalty, i) => penalties.map((_, j) => (i === j ? penalty + 1e-9 : 0)))
    for (const { row, label, weight } of cases) {
      const chance = logistic(row.reduce((sum, value, i) => sum + value * solution[i]!, 0))
      for (const [i, value] of row.entries()) {
        gradient[i]! += weight * (label - chance) * value
        const bend = weight * chance * (1 - chance) * value
        for (const [j, other] of row.entries()) curvature[i]![j]! += bend * other
      }
    }
    const step = solve(curvature, gradient)
    const longest = Math.max(...step.map(Math.abs))
    for (const [i, change] of step.entries()) solution[i]! += change * Math.min(1, longestStep / longest)
    if (longest < settled) break
  }
  const coefficients = scales.map(({ deviation }, i) => solution[i]! / deviation)
  const shift = scales.reduce((sum, { mean }, i) => sum + coefficients[i]! * mean, 0)
  return { coefficients, constant: solution.at(-1)! - shift }
}

/** @returns log odds */
export function predict({ coefficients, constant }: LogisticModel, features: readonly number[]): number {
  return coefficients.reduce((sum, coefficient, i) => sum + coefficient * features[i]!, constant)
}

/** @returns mean log loss of chances in nats, weighted by case; a coin flip has ln 2 */
export function logLoss(cases: readonly { chance: number; label: boolean; weight: number }[]): number {
  let loss = 0
  let total = 0
  for (const { chance, label, weight } of cases) {
    loss -= weight * Math.log(Math.max(leastChance, label ? chance : 1 - chance))
    total += weight
  }
  return loss / total
}

/** Mean and deviation of each feature; the deviation is 1 for a constant feature. */
function scalesOf(rows: readonly (readonly number[])[]): { mean: number; deviation: number }[] {
  return (rows[0] ?? []).map((_, i) => {
    const mean = rows.reduce((sum, row) => sum + row[i]!, 0) / rows.length
    const variance = rows.reduce((sum, row) => sum + (row[i]! - mean) ** 2, 0) / rows.length
    return { mean, deviation: Math.sqrt(variance) || 1 }
  })
}

/** Gaussian elimination with pivots. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i]!])
  const size = rows.length
  for (let column = 0; column < size; column++) {
    const rest = rows.slice(column).map(row => Math.abs(row[column]!))
    const pivot = column + rest.indexOf(Math.max(...rest))
    ;[rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!]
    const head = rows[column]!
    for (const row of rows.slice(column + 1)) {
      const share = row[column]! / head[column]!
      for (let k = column; k <= size; k++) row[k]! -= share * head[k]!
    }
  }
  const solution = new Array<number>(size).fill(0)
  for (let i = size - 1; i >= 0; i--) {
    const known = solution.reduce((sum, value, j) => (j > i ? sum + rows[i]![j]! * value : sum), 0)
    solution[i] = (rows[i]![size]! - known) / rows[i]![i]!
  }
  return solution
}
