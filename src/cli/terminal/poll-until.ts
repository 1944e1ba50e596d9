import { setTimeout as delay } from 'node:timers/promises'

const firstWaitMs = 10
const longestWaitMs = 1000

/**
 * Polls with pauses that double from 10 ms to a second.
 * @param isLast receives each answer; the first one it accepts is returned.
 */
export async function pollUntil<T>(ask: () => Promise<T>, isLast: (answer: T) => boolean): Promise<T> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
    const answer = await ask()
    if (isLast(answer)) return answer
    await delay(waitMs)
  }
}
