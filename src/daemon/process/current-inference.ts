import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import type { InferenceSettings } from '../../contract/settings.js'
import { createInference } from '../ground/inference/create-inference.js'
import type { Inference } from '../ground/inference/inference.js'
import type { Secrets } from '../ground/secrets/secrets.js'
import type { SettingsWatch } from '../ground/settings/settings-in-force.js'
import { type LedgerDeps, openEntry } from '../platform/inference/ledger.js'

export interface InferenceInForceOptions {
  settings: SettingsWatch
  log: Logger
  clock: () => Date
  secrets: Secrets
  /** Called lazily, because the database is not open yet. */
  ledger(): LedgerDeps
}

/** The language model of the current settings; a change aborts requests to the previous one. */
export interface CurrentInference {
  current(): Inference
  close(): Promise<void>
}

export function createCurrentInference(options: InferenceInForceOptions): CurrentInference {
  const { settings, log, clock, secrets, ledger } = options
  const wanted = (): InferenceSettings => settings.current().settings.inference
  const open = (): Inference =>
    createInference({
      settings: wanted(),
      resolveSecret: secrets.resolve,
      openEntry: question => openEntry(ledger(), question),
      clock,
    })
  let inForce = open()
  const replace = (): void => {
    const old = inForce
    inForce = open()
    void old.close()
  }
  settings.onChange(({ inference }, previous) => {
    if (isDeepStrictEqual(inference, previous.inference)) return
    replace()
    log.info({ provider: inference.provider, model: inference.model }, 'inference settings changed')
  })
  // A changed key may lift an earlier rejection, so the model is tried again at once.
  secrets.onChange(() => wanted().apiKey, replace)
  return { current: () => inForce, close: () => inForce.close() }
}
