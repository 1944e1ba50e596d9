import { isEnabled } from '../../../ground/inference/uses.js'
import { deterministicReader } from '../deterministic/late-reader.js'
import { createProviderReader, type ProviderReaderDeps } from '../provider/provider-reader.js'
import type { DreamReader } from '../reader.js'

/** Who reads for passes: rules, which need no provider, unless the settings ask for a model (inference.md#dreaming). */
export function readerInForce(deps: ProviderReaderDeps): DreamReader {
  const { settings } = deps.configuration()
  return isEnabled(settings, 'dreaming') ? createProviderReader(deps) : deterministicReader
}
