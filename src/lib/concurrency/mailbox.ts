import { deferred } from './deferred.js'

/** Hands items from whoever has them to one reader, in their order. */
export interface Mailbox<T> {
  /** Items that wait. */
  count(): number
  put(item: T): void
  /** No more items come: the reader gets those that wait, then the end. */
  end(): void
  /** Read by one reader, once. */
  items(): AsyncGenerator<T>
}

export function createMailbox<T>(): Mailbox<T> {
  const waiting: T[] = []
  const state = { isEnded: false, arrival: deferred<void>() }
  const tell = (): void => state.arrival.resolve()
  return {
    count: () => waiting.length,
    put: item => {
      if (state.isEnded) return
      waiting.push(item)
      tell()
    },
    end: () => {
      state.isEnded = true
      tell()
    },
    async *items() {
      for (;;) {
        for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) yield item
        if (state.isEnded) return
        state.arrival = deferred()
        if (waiting.length === 0 && !state.isEnded) await state.arrival.promise
      }
    },
  }
}
