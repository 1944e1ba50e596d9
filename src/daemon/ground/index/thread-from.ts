import { availableParallelism } from 'node:os'

/** Below this size a direct search is faster, and a thread costs memory and startup time. */
const manyEntries = 20_000

/**
 * Returns from how many entries on an index runs in its own thread.
 * @param choice the value of SERVICE_INDEX_THREAD: `always` or `never`; otherwise the size decides.
 */
export function threadFromOf(choice: string | undefined): number {
  if (choice === 'always') return 0
  if (choice === 'never' || availableParallelism() === 1) return Number.POSITIVE_INFINITY
  return manyEntries
}
