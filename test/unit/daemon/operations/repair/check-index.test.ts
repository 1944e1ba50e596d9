import test from 'ava'
import type { IndexCheck } from '../../../../../src/daemon/ground/index/live-index.js'
import { checkIndex } from '../../../../../src/daemon/operations/repair/check-index.js'

type Deps = Parameters<typeof checkIndex>[0]

test('a missing entry is found and repaired although its row is written during the check (operations.md 5)', async t => {
  const row = { id: 'a', change: 1 }
  const rows = [row, { id: 'b', change: 2 }]
  const indexed = new Set(['b'])
  // Twice the row is written, as by the embedder, after it was loaded.
  let writes = 2
  const check = async (after: number, limit: number): Promise<IndexCheck> => {
    const later = rows.filter(({ change }) => change > after)
    const found = later.sort((a, b) => a.change - b.change).slice(0, limit)
    const missing = found.map(({ id }) => id).filter(id => !indexed.has(id))
    return { rows: found.length, missing, stale: [], drifted: [], strays: [], next: found.at(-1)?.change }
  }
  const load = async () => {
    const loaded = { ...row }
    if (writes-- > 0) row.change += 10
    return [loaded]
  }
  const deps = {
    store: { tables: { memories: { load, countAlive: async () => rows.length } } },
    index: {
      stats: async () => ({ state: 'ready', entries: indexed.size }),
      settled: async () => undefined,
      apply: async (rows: readonly { id: string }[]) => rows.forEach(({ id }) => void indexed.add(id)),
      check,
    },
  } as unknown as Deps
  const run = { action: 'checkFtsConsistency', signal: new AbortController().signal }
  const reply = await checkIndex(deps, run as Parameters<typeof checkIndex>[1], true)
  t.true(reply.success, reply.message)
  t.true(indexed.has('a'))
})
