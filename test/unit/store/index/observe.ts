import type { IndexFacts, IndexFilter } from '../../../../src/store/index/memory-index.js'
import type { MemoryIndex } from '../../../../src/store/index/orama/memory-index.js'

const rounded = (score: number) => Number(score.toFixed(9))
const byKey = <T>(a: [string, T], b: [string, T]) => (a[0] < b[0] ? -1 : 1)

/**
 * Everything that can be seen of an index through these queries and ids, in an order that does not depend on how
 * the index came about: equal scores may stand in either order.
 */
export async function observe(
  index: MemoryIndex,
  ids: readonly string[],
  queries: readonly { text: string; vector?: Float32Array; filter?: IndexFilter }[],
): Promise<unknown> {
  const { documents, vectors, terms } = index.stats()
  const results = []
  const facts = new Map<string, IndexFacts>()
  for (const query of queries) {
    const hits = await index.search({ ...query, depth: 1000 })
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
  return { documents, vectors, terms, facts: ids.map(id => facts.get(id) ?? null), results }
}
