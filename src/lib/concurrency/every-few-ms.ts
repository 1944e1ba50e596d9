import { setImmediate as nextTurn } from 'node:timers/promises'

const turnMs = 8

/**
 * Returns a function to call between small steps of work. It returns `undefined` to continue at once, or a
 * promise to await when the event loop is due a turn.
 */
export function everyFewMs(): () => Promise<void> | undefined {
  let turnStart = performance.now()
  return () => {
    if (performance.now() - turnStart < turnMs) return undefined
    return nextTurn().then(() => {
      turnStart = performance.now()
    })
  }
}

/** Runs the steps of a generator with pauses for the event loop, and returns the generator's result. */
export async function inSlices<T>(steps: Generator<undefined, T>, breathe = everyFewMs()): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    const pause = breathe()
    if (pause) await pause
  }
}

/** Returns true when copying the text takes a noticeable part of an event loop turn. */
export function isLarge(text: string): boolean {
  return text.length > 1024 * 1024
}

/** Yields to the event loop after a step on a large text; a small text costs no wait. */
export function turnAfter(text: string): Promise<void> | undefined {
  return isLarge(text) ? nextTurn() : undefined
}

/** Like {@link turnAfter} for several texts. */
export async function turnsAfter(texts: Iterable<{ content: string }>): Promise<void> {
  for (const { content } of texts) {
    const turn = turnAfter(content)
    if (turn) await turn
  }
}

/** Runs all steps of a generator without a pause, and returns the generator's result. */
export function runToEnd<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
