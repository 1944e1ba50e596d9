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

/** Whether copying a text takes a large part of a turn of the event loop. */
export function isLarge(text: string): boolean {
  return text.length > 1024 * 1024
}

/** Gives other work a turn after a step on a large text; does not wait for a small one. */
export function turnAfter(text: string): Promise<void> | undefined {
  return isLarge(text) ? nextTurn() : undefined
}

/** The same after each of some texts. Most are small, and nobody waits for a turn after them. */
export async function turnsAfter(texts: Iterable<{ content: string }>): Promise<void> {
  for (const { content } of texts) {
    const turn = turnAfter(content)
    if (turn) await turn
  }
}

/** Does them all at once. */
export function atOnce<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
