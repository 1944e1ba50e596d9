import test from 'ava'
import {
  type MemoryEntry,
  type MemoryEntryFilter,
  memories,
} from '../../../../../src/store/index/collections.js'
import { PackedIndex } from '../../../../../src/store/index/orama/packed-index.js'
import { type PackedHits, unpackHits } from '../../../../../src/store/index/packed/packed-hits.js'
import type { ChannelHit, IndexQuery } from '../../../../../src/store/index/search.js'
import { searchShards } from '../../../../../src/store/index/shards/search-shards.js'
import type { ShardSearch } from '../../../../../src/store/index/shards/shard.js'
import { shardOf } from '../../../../../src/store/index/shards/shard-of.js'
import { Analyzer } from '../../../../../src/store/index/words/analysis/analyzer.js'
import { noise } from '../noise.js'
import { sampleEntry } from '../sample-entry.js'

const words =
  'deploy postgres cache token retry worker queue index schema login session budget vector backup restore ' +
  'daemon socket stream parser lexer kernel thread memory garbage release branch commit review merge pipeline'
const vocabulary = words.split(' ')
const dimensions = 8

interface Filled {
  entries: MemoryEntry[]
  vectors: Map<string, Float32Array>
}

/** Memories of different lengths in sessions, with hints, authors, vectors, and a few foreign texts. */
function filled(count: number): Filled {
  const random = noise(11)
  const upTo = (most: number): number => Math.floor(((random() + 1) / 2) * most)
  const text = (length: number): string =>
    Array.from({ length }, () => vocabulary[upTo(vocabulary.length)]! + (upTo(4) === 0 ? upTo(40) : '')).join(
      ' ',
    )
  const entries = Array.from({ length: count }, (_, number) =>
    sampleEntry(`id-${String(number).padStart(5, '0')}`, text(5 + upTo(60)), {
      change: number + 1,
      hints: number % 6 === 0 ? [text(4)] : [],
      who: number % 5 === 0 ? `person-${number % 3}` : null,
      agentId: `agent-${number % 3}`,
      visibility: number % 4 === 0 ? 'global' : 'private',
      createdAt: 1_700_000_000_000 + number * 1000,
      session: number % 7 === 0 ? null : `session ${Math.floor(number / 9)}`,
    }),
  )
  entries.push(
    sampleEntry('foreign', 'Die Datenbank wird jeden Morgen gesichert und die Sicherung geprüft', {
      change: count + 1,
      session: 'session 3',
    }),
  )
  const vectors = new Map(
    entries
      .filter((_, at) => at % 3 !== 1)
      .map(({ id }) => [id, Float32Array.from({ length: dimensions }, random)]),
  )
  return { entries, vectors }
}

type Index = PackedIndex<MemoryEntry, MemoryEntryFilter>

/** An index of some shards under one name, as one thread has each. */
function sharded(shards: number, { vectors }: Filled) {
  const loadVectors = async (ids: readonly string[]) =>
    new Map(ids.flatMap(id => (vectors.has(id) ? [[id, vectors.get(id)!] as const] : [])))
  const parts: Index[] = Array.from(
    { length: shards },
    () => new PackedIndex(memories, { dimensions: null, loadVectors }),
  )
  const analyzer = new Analyzer()
  return {
    parts,
    upsert(entry: MemoryEntry): void {
      const own = parts[shardOf(entry, shards)]!
      for (const part of parts) if (part !== own) part.remove(entry.id)
      own.upsert(entry)
      const vector = vectors.get(entry.id)
      if (vector) own.setVector(entry.id, vector)
    },
    remove: (id: string) => parts.some(part => part.remove(id)),
    async search({ filter, ...query }: IndexQuery<MemoryEntryFilter>): Promise<PackedHits> {
      const searches = parts.map(part => part.beginShard(filter, () => true))
      try {
        return await searchShards(searches, query, analyzer)
      } finally {
        for (const search of searches) search.end()
      }
    },
  }
}

function queriesOf({ vectors }: Filled): IndexQuery<MemoryEntryFilter>[] {
  const vector = [...vectors.values()][7]!
  const evidence = true
  return [
    { text: 'postgres backup of the queue', depth: 20, evidence },
    {
      text: 'deploy token cache',
      vector,
      depth: 30,
      evidence,
      filter: { agents: ['agent-1'], includeGlobal: true },
    },
    { text: 'retyr garbge pipe kernel12', vector, depth: 10, evidence },
    { text: 'Sicherungen der Datenbank', depth: 50, evidence },
    { text: 'person-2 restore', depth: 5 },
    { text: '', vector, depth: 10 },
    { text: 'wholly absent nonsenseword', depth: 10, evidence },
  ]
}

const withoutTimings = ({ timings: _, ...hits }: PackedHits) => hits

/** The same hits whatever the order of equal scores. */
function inAnyOrder(packed: PackedHits): unknown {
  const hits = unpackHits(packed)
  const byId = (channel: readonly ChannelHit[]) => channel.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return {
    ceilings: hits.ceilings,
    keyword: byId(hits.keyword),
    expansion: byId(hits.expansion),
    coverage: byId(hits.coverage),
    occurrences: byId(hits.occurrences),
    hints: byId(hits.hints),
    vector: byId(hits.vector),
    sessions: new Map([...hits.sessions].sort()),
    facts: new Map([...hits.facts].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

test('two and three shards find what one index finds, to the last digit, through changes', async t => {
  const store = filled(1500)
  const one = sharded(1, store).parts[0]!
  const several = [1, 2, 3].map(shards => sharded(shards, store))
  const all = [{ upsert: upsertInto(one, store), remove: (id: string) => one.remove(id) }, ...several]
  for (const entry of store.entries) for (const index of all) index.upsert(entry)
  t.true(several[2]!.parts.every(part => part.stats().entries > 300))
  for (const query of queriesOf(store)) {
    const expected = withoutTimings(await one.searchPacked(query))
    for (const shards of several)
      t.deepEqual(withoutTimings(await shards.search(query)), expected, query.text)
  }
  let change = store.entries.length
  for (const entry of store.entries.filter((_, at) => at % 5 === 2)) {
    change++
    // Another session may mean another shard.
    const content = `${entry.content} rewritten edition ${change}`
    const edited = { ...entry, change, content, session: `moved ${change % 40}` }
    for (const index of all) index.upsert(edited)
  }
  for (const { id } of store.entries.filter((_, at) => at % 11 === 4))
    for (const index of all) index.remove(id)
  // Edited rows keep their places in one index: equal scores may come in another order.
  for (const query of queriesOf(store).map(query => ({ ...query, depth: 10_000 }))) {
    const expected = inAnyOrder(await one.searchPacked(query))
    for (const shards of several) t.deepEqual(inAnyOrder(await shards.search(query)), expected, query.text)
  }
})

test('a search passes over an entry that is removed while it runs', async t => {
  const store = filled(60)
  const shards = sharded(2, store)
  for (const entry of store.entries) shards.upsert(entry)
  const query = { text: 'postgres backup of the queue', depth: 100, evidence: true }
  const [first, second] = unpackHits(await shards.search(query)).keyword
  const searches = shards.parts.map(part => part.beginShard({}, () => true))
  const removing: ShardSearch[] = searches.map(search => ({
    ...search,
    pack: kept => {
      shards.remove(first!.id)
      return search.pack(kept)
    },
  }))
  const { keyword, coverage, facts } = unpackHits(await searchShards(removing, query, new Analyzer()))
  t.is(keyword[0]!.id, second!.id)
  t.is(coverage.length, keyword.length)
  t.false(facts.has(first!.id))
})

function upsertInto(index: Index, { vectors }: Filled): (entry: MemoryEntry) => void {
  return entry => {
    index.upsert(entry)
    const vector = vectors.get(entry.id)
    if (vector) index.setVector(entry.id, vector)
  }
}
