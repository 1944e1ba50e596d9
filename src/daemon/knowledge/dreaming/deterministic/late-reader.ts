import type { DreamReader } from '../reader.js'

/** The reader by rules, loaded by the first text that is read: V8 takes longer for its patterns than for most of a start. */
export const deterministicReader: DreamReader = {
  name: 'deterministic',
  read: async reading => {
    const { deterministicReader } = await import('./deterministic-reader.js')
    return deterministicReader.read(reading)
  },
}
