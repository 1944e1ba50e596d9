import type { DocumentStatus } from '../../../contract/knowledge/documents.js'
import type { Daemon } from '../../platform/daemon/daemon.js'

/** A step that is over sooner is not written: nobody would see it, and each write costs as much as storing a chunk. */
const shownAfterMs = 100

type Step = Extract<DocumentStatus, 'extracting' | 'chunking' | 'embedding' | 'indexing'>

/** Where a reading is, and how long it was where. */
export interface ReadingSteps {
  enter(step: Step): void
  /** Ends the last step; call it before the status that comes after it is written. @returns milliseconds by step, as JSON. */
  end(): string
}

/** Tells the status of a document while it is read. What a power cut loses of it is done again anyway: nothing waits for the disk. */
export function readingSteps(
  { store, clock, log }: Pick<Daemon, 'store' | 'clock' | 'log'>,
  id: string,
): ReadingSteps {
  const spent: Record<string, number> = {}
  let present: { step: Step; since: number; timer: NodeJS.Timeout } | undefined
  const leave = (): void => {
    if (!present) return
    clearTimeout(present.timer)
    spent[present.step] = Number((performance.now() - present.since).toFixed(1))
    present = undefined
  }
  const show = (step: Step): void => {
    const change = { status: step, updated_at: clock().toISOString() }
    const written = store.bookkeeping(async ({ documents }) => {
      // While it waited for its turn the reading may have gone on.
      if (present?.step === step) await documents.advance(id, change)
    })
    written.catch(error => log.warn({ err: error, document: id }, 'status of a document not written'))
  }
  return {
    enter: step => {
      leave()
      const timer = setTimeout(() => show(step), shownAfterMs)
      present = { step, since: performance.now(), timer }
    },
    end: () => {
      leave()
      return JSON.stringify(spent)
    },
  }
}
