import type { Domain } from '../../platform/domain.js'
import { createConversionWorker, settleConversion } from './conversion-worker.js'

/** The format of the database file and its size on disk (operations.md 6.3). */
export const conversion: Domain = {
  workers: [createConversionWorker],
  recover: daemon => settleConversion(daemon),
}
