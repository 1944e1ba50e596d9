import { availableParallelism } from 'node:os'

/** Fewer entries are searched sooner than a thread is asked, and a thread costs memory and the start of it time. */
const manyEntries = 20_000

/**
 * From how many entries on an index has a thread of its own.
 * @param choice the value of SERVICE_INDEX_THREAD: `always`, `never`; with any other the number decides.
 */
export function threadFromOf(choice: string | undefined): number {
  if (choice === 'always') return 0
  if (choice === 'never' || availableParallelism() === 1) return Number.POSITIVE_INFINITY
  return manyEntries
}
