import { type InferenceUse, inferenceUses } from '../../../contract/ground/inference.js'
import { type Breaker, createBreaker } from '../../../lib/concurrency/breaker.js'
import { InferenceFault, type InferenceFaultKind, type InferenceState } from './inference.js'

/** Whether a question may be asked now, and how its end is told. */
export interface Standing {
  /** @returns how its end is told, exactly once. @throws InferenceFault `paused` */
  admit(use: InferenceUse): (end: End) => void
  state(): Pick<InferenceState, 'error' | 'checkedAt' | 'breaker'>
}

/** How a question ended. `given_up`: by its caller, which says nothing about the provider. */
export type End = 'answered' | 'given_up' | InferenceFault

/** Faults of which another try soon is useless, and costs a request. */
const lasting: readonly InferenceFaultKind[] = ['unauthorized', 'unknown_model', 'limited']
/** Faults of questions that never came to the provider. */
const unasked: readonly InferenceFaultKind[] = ['busy', 'spent']

/**
 * Circuit breakers: one for a provider that fails, for all uses, and one for each use that it was too slow for, so that
 * a model that takes longer than a recall waits is not paid for answers that nobody reads. Nobody asks it only to see
 * whether it is back: the next question does.
 */
export function createStanding(now: () => number): Standing {
  const dead = createBreaker({ now })
  const slow = new Map(inferenceUses.map(use => [use, createBreaker({ now })]))
  const known: Known = { error: undefined, checkedAt: null }
  const enter = (breaker: Breaker): void => {
    if (breaker.state() !== 'closed' && !breaker.startProbe())
      throw new InferenceFault('paused', `not asked for a while: ${known.error ?? 'it failed'}`)
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

interface Known {
  error: string | undefined
  checkedAt: number | null
}

interface Noted {
  dead: Breaker
  late: Breaker
  known: Known
  now: () => number
}

function note({ dead, late, known, now }: Noted, end: End): void {
  const kind = end instanceof InferenceFault ? end.kind : undefined
  if (end === 'given_up' || (kind !== undefined && unasked.includes(kind))) {
    giveBack(dead)
    giveBack(late)
    return
  }
  known.checkedAt = now()
  const speaksAgainst = kind === 'late' || kind === 'unreachable' || (kind && lasting.includes(kind))
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
    dead.fail({ atOnce: lasting.includes(end.kind), minOpenMs: end.retryAfterMs ?? 0 })
    giveBack(late)
  }
}

/** A question that was to show whether a breaker may close showed nothing: the next one waits again. */
function giveBack(breaker: Breaker): void {
  if (breaker.state() === 'half-open') breaker.fail()
}
