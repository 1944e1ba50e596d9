import { setTimeout as delay } from 'node:timers/promises'

/** Polls twice a second until the value is wanted, by default for ten seconds. @returns the last value */
export async function eventually<T>(
  read: () => Promise<T>,
  isWanted: (value: T) => boolean,
  polls = 20,
): Promise<T> {
  for (let left = polls; ; left--) {
    const value = await read()
    if (isWanted(value) || left === 0) return value
    await delay(500)
  }
}
