import type { Domain } from '../../platform/domain.js'
import { settleConversion } from './conversion.js'
import { createConversionWorker } from './conversion-worker.js'

/** The file of the database: its form, and what it takes of the disk (operations.md 6.3). */
export const conversion: Domain = {
  workers: [createConversionWorker],
  recover: daemon => settleConversion(daemon),
}
