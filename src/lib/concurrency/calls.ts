export interface CallsOptions {
  /** A call waits this long; without it, as long as it takes. */
  timeoutMs?: number
  onTimeout?(): void
}

/** Calls that another thread has not answered yet, by number. */
export interface Calls<Answer> {
  count(): number
  /** @param post sends the call under this number. */
  open(post: (id: number) => void): Promise<Answer>
  resolve(id: number, answer: Answer): void
  reject(id: number, reason: Error): void
  rejectAll(reason: Error): void
}

interface Call<Answer> {
  timer: NodeJS.Timeout | undefined
  resolve(answer: Answer): void
  reject(reason: Error): void
}

export function createCalls<Answer>({ timeoutMs, onTimeout }: CallsOptions = {}): Calls<Answer> {
  const calls = new Map<number, Call<Answer>>()
  let lastId = 0
  const take = (id: number): Call<Answer> | undefined => {
    const call = calls.get(id)
    calls.delete(id)
    clearTimeout(call?.timer)
    return call
  }
  return {
    count: () => calls.size,
    open: post => {
      const id = ++lastId
      return new Promise((resolve, reject) => {
        const timer = timeoutMs === undefined ? undefined : setTimeout(() => onTimeout?.(), timeoutMs)
        calls.set(id, { timer, resolve, reject })
        post(id)
      })
    },
    resolve: (id, answer) => take(id)?.resolve(answer),
    reject: (id, reason) => take(id)?.reject(reason),
    rejectAll: reason => {
      for (const id of [...calls.keys()]) take(id)?.reject(reason)
    },
  }
}
