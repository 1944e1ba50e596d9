import { setTimeout as delay } from 'node:timers/promises'

/** Polls for at most ten seconds until the value is wanted. @returns the last value */
export async function eventually<T>(read: () => Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  for (let left = 20; ; left--) {
    const value = await read()
    if (isWanted(value) || left === 0) return value
    await delay(500)
  }
}
