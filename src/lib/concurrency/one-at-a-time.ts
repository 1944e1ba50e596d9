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
