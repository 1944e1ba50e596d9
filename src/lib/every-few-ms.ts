import { setImmediate as nextTurn } from 'node:timers/promises'

const turnMs = 8

/**
 * Gives the event loop a turn now and then.
 * @returns what to call between small steps of work: `undefined` goes on at once, anything else is awaited.
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

/** Does the steps of a generator with pauses between them. @returns what it returns. */
export async function inSlices<T>(steps: Generator<undefined, T>, breathe = everyFewMs()): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    const pause = breathe()
    if (pause) await pause
  }
}

/** Does a text take a large part of a turn wherever it is copied? */
export function isLarge(text: string): boolean {
  return text.length > 1024 * 1024
}

/** A turn for others behind work on a large text; nothing to wait for behind any other. */
export function turnAfter(text: string): Promise<void> | undefined {
  return isLarge(text) ? nextTurn() : undefined
}

/** Does them all at once. */
export function atOnce<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
