import type { DreamReader } from '../reader.js'

/** The rule-based reader, loaded with the first text: compiling its patterns would slow down every start. */
export const deterministicReader: DreamReader = {
  name: 'deterministic',
  read: async reading => {
    const { deterministicReader } = await import('./deterministic-reader.js')
    return deterministicReader.read(reading)
  },
}
