import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memories } from '../../src/store/index/collections.js'
import { createIndex, loadIndex } from '../../src/store/index/orama/packed-index.js'
import { type BenchQuery, type Contender, resultDepth } from './contender.js'
import { percentile, timed } from './measure.js'

/**
 * The product's index. The exact vectors for rescoring are in memory here; the daemon reads them from SQLite.
 */
export function packedContender(dimensions: number): Contender {
  const exact = new Map<string, Float32Array>()
  const loadVectors = async (ids: readonly string[]) => new Map(ids.map(id => [id, exact.get(id)!]))
  const index = createIndex(memories, { dimensions, loadVectors })
  const depth = resultDepth
  const hybrid = ({ text, vector }: BenchQuery) => index.search({ text, vector, depth })
  return {
    rounds: 200,
    insert(entry, vector) {
      index.upsert(entry)
      index.setVector(entry.id, vector)
      exact.set(entry.id, vector)
    },
    queries: {
      keyword: ({ text }) => index.search({ text, depth }),
      vector: ({ vector }) => index.search({ text: '', vector, depth }),
      hybrid,
      'hybrid, one project': ({ text, vector, filter }) => index.search({ text, vector, filter, depth }),
      'hybrid, agent and global': ({ text, vector }) =>
        index.search({ text, vector, filter: { agents: ['agent-1'], includeGlobal: true }, depth }),
      'keyword, unknown word': ({ text }) => index.search({ text: `${text} unknwonword`, depth }),
    },
    async extras(query) {
      const together: number[] = []
      for (let round = 0; round < 5; round++) {
        const start = performance.now()
        const one = async () => {
          await hybrid(query())
          together.push(performance.now() - start)
        }
        await Promise.all(Array.from({ length: 10 }, one))
      }
      const folder = await mkdtemp(join(tmpdir(), 'index-bench-'))
      const file = join(folder, 'index.snapshot')
      const saved = await timed(() => index.save(file))
      const loaded = await timed(() => loadIndex(file, memories, { dimensions }))
      await rm(folder, { recursive: true })
      return {
        tenAtOnceP50Ms: percentile(together, 0.5),
        tenAtOnceP95Ms: percentile(together, 0.95),
        saveMs: saved.ms,
        loadMs: loaded.ms,
        snapshotBytes: saved.result,
        indexBytes: index.stats().bytes,
      }
    },
  }
}
