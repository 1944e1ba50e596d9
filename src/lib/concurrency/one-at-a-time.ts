/** Runs functions one after another in call order; a failure does not affect the ones queued behind it. */
export type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>

export function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}

/** Runs functions with the same key one after another, and different keys concurrently. */
export type OneAtATimeEach = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function oneAtATimeEach(): OneAtATimeEach {
  const lines = new Map<string, { run: OneAtATime; waiting: number }>()
  return async (key, work) => {
    const line = lines.get(key) ?? { run: oneAtATime(), waiting: 0 }
    lines.set(key, line)
    line.waiting++
    try {
      return await line.run(work)
    } finally {
      line.waiting--
      if (line.waiting === 0) lines.delete(key)
    }
  }
}

/**
 * Runs `work` on all items, `atOnce` of them concurrently. The first rejection stops it, and is rethrown once
 * no item is running any more.
 */
export async function eachAtOnce<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = [...items].reverse()
  const failures: unknown[] = []
  const worker = async (): Promise<void> => {
    for (let item = rest.pop(); item !== undefined; item = rest.pop())
      try {
        await work(item)
      } catch (error) {
        rest.length = 0
        failures.push(error)
      }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  if (failures.length > 0) throw failures[0]
}
