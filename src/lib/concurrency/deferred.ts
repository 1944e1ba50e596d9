/** A promise with its resolve and reject functions. */
export interface Deferred<T> {
  promise: Promise<T>
  resolve(value: T): void
  reject(reason: unknown): void
}

export function deferred<T>(): Deferred<T> {
  const ends = {} as Omit<Deferred<T>, 'promise'>
  const promise = new Promise<T>((resolve, reject) => {
    ends.resolve = resolve
    ends.reject = reject
  })
  return { promise, ...ends }
}
