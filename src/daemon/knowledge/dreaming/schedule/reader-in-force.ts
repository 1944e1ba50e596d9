import { deterministicReader } from '../deterministic/deterministic-reader.js'
import type { DreamReader } from '../reader.js'

/** Who reads for passes: rules, which need no provider. */
export function readerInForce(): DreamReader {
  return deterministicReader
}
