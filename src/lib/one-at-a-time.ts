/** Runs what it is given one after another, in the order in which it was given; a failure stops nobody behind it. */
export type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>

export function oneAtATime(): OneAtATime {
  const line: { last: Promise<unknown> } = { last: Promise.resolve() }
  return work => {
    const result = line.last.then(work)
    line.last = result.catch(() => undefined)
    return result
  }
}
