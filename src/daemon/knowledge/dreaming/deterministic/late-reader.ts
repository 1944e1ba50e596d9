import type { DreamReader } from '../reader.js'

/**
 * Version of the rules. Raise it with every change after which texts say something else: all memories and
 * files are then read once more (knowledge.md#dreaming).
 */
export const rulesVersion = '5'

/** The rule-based reader, loaded with the first text: compiling its patterns would slow down every start. */
export const deterministicReader: DreamReader = {
  name: 'deterministic',
  read: async reading => {
    const { deterministicReader } = await import('./deterministic-reader.js')
    return deterministicReader.read(reading)
  },
}
