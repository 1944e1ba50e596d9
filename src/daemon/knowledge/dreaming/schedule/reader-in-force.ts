import { isEnabled } from '../../../ground/inference/inference.js'
import { deterministicReader } from '../deterministic/late-reader.js'
import { createProviderReader, type ProviderReaderDeps } from '../provider/provider-reader.js'
import type { DreamReader } from '../reader.js'

/**
 * Returns the reader of passes: rules, which need no provider, unless the settings select a model
 * (inference.md#dreaming).
 */
export function currentReader(deps: ProviderReaderDeps): DreamReader {
  const { settings } = deps.configuration()
  return isEnabled(settings, 'dreaming') ? createProviderReader(deps) : deterministicReader
}
