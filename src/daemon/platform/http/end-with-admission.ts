import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import { systemTimers, type Timers } from '../../../lib/time/timers.js'

/** How long a stream may outlive the credential that opened it. */
export const admissionPrecisionMs = 2000

interface Options {
  /** Whether who opened the stream would be let in now. */
  isAdmitted(): Promise<boolean>
  log: Pick<Logger, 'warn'>
  timers?: Timers
}

/** Ends a stream soon after its reader would not be let in any more (security.md 5.2). A check that fails ends none. */
export function endWithAdmission(
  stream: Readable,
  { isAdmitted, log, timers = systemTimers }: Options,
): void {
  let asking = false
  const look = async (): Promise<void> => {
    if (asking) return
    asking = true
    try {
      if (!(await isAdmitted())) stream.destroy()
    } catch (error) {
      log.warn({ err: error }, 'whether a reader of a stream is still let in could not be told')
    } finally {
      asking = false
    }
  }
  const stop = timers.every(admissionPrecisionMs, () => void look())
  stream.once('close', stop)
}
