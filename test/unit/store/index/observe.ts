import type { MemoryEntry, MemoryEntryFilter } from '../../../../src/store/index/collections.js'
import type { SearchIndex } from '../../../../src/store/index/orama/packed-index.js'
import type { IndexFacts } from '../../../../src/store/index/search.js'

const rounded = (score: number) => Number(score.toFixed(9))
const byKey = <T>(a: [string, T], b: [string, T]) => (a[0] < b[0] ? -1 : 1)

/**
 * Returns all observable results of an index for these queries and ids. Equal scores are sorted by id, so the
 * result does not depend on the order of insertions.
 */
export async function observe(
  index: SearchIndex<MemoryEntry, MemoryEntryFilter>,
  ids: readonly string[],
  queries: readonly { text: string; vector?: Float32Array; filter?: MemoryEntryFilter }[],
): Promise<unknown> {
  const { entries, vectors, terms } = index.stats()
  const results = []
  const facts = new Map<string, IndexFacts>()
  for (const query of queries) {
    // Deeper than any test's index: a cut among equal scores would depend on the order of insertions.
    const hits = await index.search({ ...query, depth: 10_000 })
    const channel = (name: 'keyword' | 'hints' | 'vector') =>
      hits[name].map(({ id, score }): [string, number] => [id, rounded(score)]).sort(byKey)
    for (const [id, known] of hits.facts) facts.set(id, known)
    results.push({
      keyword: channel('keyword'),
      hints: channel('hints'),
      vector: channel('vector'),
      sessions: Array.from(hits.sessions, ([key, score]): [string, number] => [key, rounded(score)]).sort(
        byKey,
      ),
    })
  }
  return { entries, vectors, terms, facts: ids.map(id => facts.get(id) ?? null), results }
}
