import { deferred } from './deferred.js'

/** Passes items from any number of writers to one reader, in order. */
export interface Mailbox<T> {
  /** Number of waiting items. */
  count(): number
  put(item: T): void
  /** Accepts no more items: the reader receives the waiting ones, then the end. */
  end(): void
  /** Supports a single reader, once. */
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
