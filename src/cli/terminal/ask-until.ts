import { setTimeout as delay } from 'node:timers/promises'

const firstWaitMs = 10
const longestWaitMs = 1000

/**
 * Asks again and again, with pauses that double from 10 ms to a second, until an answer is the last one.
 * @param isLast is told each answer; the first for which it is true is returned.
 */
export async function askUntil<T>(ask: () => Promise<T>, isLast: (answer: T) => boolean): Promise<T> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
    const answer = await ask()
    if (isLast(answer)) return answer
    await delay(waitMs)
  }
}
