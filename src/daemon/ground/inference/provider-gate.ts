import { type InferenceUse, inferenceUses } from '../../../contract/ground/inference.js'
import { type Breaker, createBreaker } from '../../../lib/concurrency/breaker.js'
import { InferenceFault, type InferenceFaultKind, type InferenceState } from './inference.js'

/** Admits questions to the provider and learns from their outcomes. */
export interface ProviderGate {
  /** @returns a callback to report the outcome exactly once. @throws InferenceFault `paused` */
  admit(use: InferenceUse): (end: QuestionOutcome) => void
  state(): Pick<InferenceState, 'error' | 'checkedAt' | 'breaker'>
}

/** The outcome of a question. `given_up`: cancelled by the caller, which says nothing about the provider. */
export type QuestionOutcome = 'answered' | 'given_up' | InferenceFault

/** Faults that persist: an early retry would only cost a request. */
const persistentFaults: readonly InferenceFaultKind[] = ['unauthorized', 'unknown_model', 'limited']
/** Faults of questions that never reached the provider. */
const unasked: readonly InferenceFaultKind[] = ['busy', 'spent']

/**
 * Circuit breakers: one for a failing provider, and one for each use it was too slow for, so that no late
 * answers are paid for. No probes are sent: the next question tests whether the provider is back.
 */
export function createProviderGate(now: () => number): ProviderGate {
  const dead = createBreaker({ now })
  const slow = new Map(inferenceUses.map(use => [use, createBreaker({ now })]))
  const known: LastResult = { error: undefined, checkedAt: null }
  const enter = (breaker: Breaker): void => {
    if (breaker.state() !== 'closed' && !breaker.startProbe())
      throw new InferenceFault('paused', `paused after failures: ${known.error ?? 'it failed'}`)
  }
  return {
    admit: use => {
      const late = slow.get(use) as Breaker
      enter(late)
      try {
        enter(dead)
      } catch (error) {
        giveBack(late)
        throw error
      }
      return end => note({ dead, late, known, now }, end)
    },
    state: () => ({ ...known, breaker: { state: dead.state(), remainingMs: dead.remainingMs() } }),
  }
}

interface LastResult {
  error: string | undefined
  checkedAt: number | null
}

interface OutcomeContext {
  dead: Breaker
  late: Breaker
  known: LastResult
  now: () => number
}

function note({ dead, late, known, now }: OutcomeContext, end: QuestionOutcome): void {
  const kind = end instanceof InferenceFault ? end.kind : undefined
  if (end === 'given_up' || (kind !== undefined && unasked.includes(kind))) {
    giveBack(dead)
    giveBack(late)
    return
  }
  known.checkedAt = now()
  const speaksAgainst = kind === 'late' || kind === 'unreachable' || (kind && persistentFaults.includes(kind))
  if (!(end instanceof InferenceFault) || !speaksAgainst) {
    dead.succeed()
    late.succeed()
    known.error = undefined
    return
  }
  known.error = end.message
  if (kind === 'late') {
    late.fail()
    giveBack(dead)
  } else {
    dead.fail({ atOnce: persistentFaults.includes(end.kind), minOpenMs: end.retryAfterMs ?? 0 })
    giveBack(late)
  }
}

/** A test question without a result leaves the breaker open: the next one waits again. */
function giveBack(breaker: Breaker): void {
  if (breaker.state() === 'half-open') breaker.fail()
}
