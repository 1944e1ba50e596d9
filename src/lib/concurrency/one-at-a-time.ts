/** Runs what it is given one after another, in the order in which it was given; a failure stops nobody behind it. */
export type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>

export function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}

/** The same for each key by itself: work on different keys goes on side by side. */
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
