import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createCalls } from '../../src/lib/concurrency/calls.js'
import { threadUrl } from '../../src/lib/threads/thread-url.js'
import type { MemoryEntry } from '../../src/store/index/collections.js'
import type { IndexQuery, IndexStats } from '../../src/store/index/search.js'
import { searchShards } from '../../src/store/index/shards/search-shards.js'
import type { ShardSearch } from '../../src/store/index/shards/shard.js'
import { shardOf } from '../../src/store/index/shards/shard-of.js'
import { Analyzer } from '../../src/store/index/words/analysis/analyzer.js'
import { resultDepth } from './contender.js'
import { percentile, timed } from './measure.js'
import type { WorkerCall } from './shard-worker.js'
import { SyntheticMemories } from './synthetic.js'

/** Figures of an index in some threads. Compare those of one run: the measurements take turns. */
export interface ThreadsMeasurement {
  rows: number
  threads: number
  fillMs: number
  indexBytes: number
  saveMs: number
  snapshotBytes: number
  loadMs: number
  queries: Record<string, { p50Ms: number; p95Ms: number }>
  /** Load of the machine at the beginning and at the end. */
  load: [number, number]
}

const dimensions = 128
const distinctVectors = 20_000
const rowsPerBatch = 2000
const workerUrl = threadUrl({
  from: import.meta.url,
  source: './shard-worker.ts',
  bundle: './shard-worker.js',
})
const rounds = 60
const loads = 3

/** Measures one index in one thread and the same in two, which share it by sessions, in turns. */
export async function runThreadsSuite(sizes: readonly number[] = [100_000]): Promise<ThreadsMeasurement[]> {
  const measured: ThreadsMeasurement[] = []
  for (const rows of sizes) measured.push(...(await measure(rows)))
  return measured
}

async function measure(rows: number): Promise<ThreadsMeasurement[]> {
  const before = loadavg()[0]!
  const folder = await mkdtemp(join(tmpdir(), 'index-threads-'))
  const indexes = [1, 2].map(threads => openThreads(threads, folder))
  try {
    const memories = await fill(indexes, rows)
    const queries = await ask(indexes, memories)
    const files = await saveAndLoad(indexes)
    const stats = await Promise.all(indexes.map(index => index.bytes()))
    return indexes.map((index, at) => ({
      rows,
      threads: index.threads,
      fillMs: index.fillMs,
      indexBytes: stats[at]!,
      ...files[at]!,
      queries: queries[at]!,
      load: [before, loadavg()[0]!],
    }))
  } finally {
    await Promise.all(indexes.map(index => index.close()))
    await rm(folder, { recursive: true })
  }
}

type ThreadedIndex = ReturnType<typeof openThreads>

function openThreads(threads: number, folder: string) {
  const shards = Array.from({ length: threads }, () => openWorker())
  const analyzer = new Analyzer()
  const each = <T>(work: (shard: BenchWorker, at: number) => Promise<T>): Promise<T[]> =>
    Promise.all(shards.map(work))
  const file = (at: number): string => join(folder, `${at + 1}-of-${threads}`)
  const index = {
    threads,
    fillMs: 0,
    async insert(entries: MemoryEntry[], vectorOf: (entry: MemoryEntry) => Float32Array): Promise<void> {
      const parts = shards.map((_, at) => entries.filter(entry => shardOf(entry, threads) === at))
      const { ms } = await timed(() =>
        each((shard, at) => shard.ask('fill', parts[at]!, parts[at]!.map(vectorOf))),
      )
      index.fillMs += ms
    },
    search: (query: IndexQuery<never>): Promise<unknown> =>
      threads === 1 ? shards[0]!.ask('search', query) : searchShards(shards.map(stepsOf), query, analyzer),
    save: () => each((shard, at) => shard.ask('save', file(at)) as Promise<number>),
    load: () => each((shard, at) => shard.ask('load', file(at))),
    bytes: async () =>
      sum(((await each(shard => shard.ask('stats'))) as IndexStats[]).map(({ bytes }) => bytes)),
    close: () => each(shard => shard.close()),
  }
  return index
}

interface BenchWorker {
  ask(name: WorkerCall['name'], ...given: readonly unknown[]): Promise<unknown>
  close(): Promise<unknown>
}

function openWorker(): BenchWorker {
  const worker = new Worker(workerUrl, {
    resourceLimits: { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 4000 },
  })
  const calls = createCalls<unknown>()
  worker.on('message', ({ call, answer }: { call: number; answer: unknown }) => calls.resolve(call, answer))
  worker.on('error', error => calls.rejectAll(error))
  return {
    ask: (name, ...given) =>
      calls.open(call => worker.postMessage({ call, name, given } satisfies WorkerCall)),
    close: () => worker.terminate(),
  }
}

function stepsOf(worker: BenchWorker): ShardSearch {
  const step =
    (name: keyof ShardSearch) =>
    (...given: readonly unknown[]) =>
      worker.ask('step', name, given)
  return {
    begin: step('begin') as ShardSearch['begin'],
    count: step('count') as ShardSearch['count'],
    near: step('near') as ShardSearch['near'],
    find: step('find') as ShardSearch['find'],
    cosines: step('cosines') as ShardSearch['cosines'],
    pack: step('pack') as ShardSearch['pack'],
    end: () => void step('end')(),
  }
}

async function fill(indexes: readonly ThreadedIndex[], rows: number): Promise<SyntheticMemories> {
  const memories = new SyntheticMemories(7, dimensions)
  const vectors = Array.from({ length: Math.min(rows, distinctVectors) }, () => memories.vector())
  const vectorOf = ({ change }: MemoryEntry): Float32Array => vectors[change % vectors.length]!
  for (let from = 0; from < rows; from += rowsPerBatch) {
    const length = Math.min(rowsPerBatch, rows - from)
    const batch = Array.from({ length }, (_, at) => memories.entry(from + at))
    for (const index of indexes) await index.insert(batch, vectorOf)
  }
  return memories
}

async function ask(
  indexes: readonly ThreadedIndex[],
  memories: SyntheticMemories,
): Promise<ThreadsMeasurement['queries'][]> {
  const kinds = ['words', 'words and vectors'] as const
  const times = indexes.map(() => kinds.map((): number[] => []))
  for (let round = 0; round < rounds + 3; round++)
    for (const [kind] of kinds.entries()) {
      const vector = kind === 1 ? memories.vector() : undefined
      const query = { text: memories.query(), vector, depth: resultDepth, evidence: true }
      for (const [at, index] of indexes.entries()) {
        const { ms } = await timed(() => index.search(query))
        // The first three queries warm up.
        if (round >= 3) times[at]![kind]!.push(ms)
      }
    }
  return times.map(of =>
    Object.fromEntries(
      kinds.map((kind, at) => [kind, { p50Ms: percentile(of[at]!, 0.5), p95Ms: percentile(of[at]!, 0.95) }]),
    ),
  )
}

async function saveAndLoad(
  indexes: readonly ThreadedIndex[],
): Promise<Pick<ThreadsMeasurement, 'saveMs' | 'snapshotBytes' | 'loadMs'>[]> {
  const saved = []
  for (const index of indexes) saved.push(await timed(() => index.save()))
  const times = indexes.map((): number[] => [])
  for (let round = 0; round < loads; round++)
    for (const [at, index] of indexes.entries()) times[at]!.push((await timed(() => index.load())).ms)
  return saved.map(({ ms, result }, at) => ({
    saveMs: ms,
    snapshotBytes: sum(result),
    loadMs: percentile(times[at]!, 0.5),
  }))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Formats a Markdown table with one line for each number of threads. */
export function formatThreadsSuite(measured: readonly ThreadsMeasurement[]): string {
  const lines = [
    '| rows | threads | insert s | index MB | save ms | snapshot MB | load ms | words p50, p95 ms | with vectors p50, p95 ms | load of the machine |',
    '|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
  ]
  for (const {
    rows,
    threads,
    fillMs,
    indexBytes,
    saveMs,
    snapshotBytes,
    loadMs,
    queries,
    load,
  } of measured) {
    const times = Object.values(queries).map(({ p50Ms, p95Ms }) => `${p50Ms.toFixed(1)}, ${p95Ms.toFixed(1)}`)
    const figures = [
      rows.toLocaleString('en'),
      threads,
      (fillMs / 1000).toFixed(1),
      (indexBytes / 1e6).toFixed(0),
      saveMs.toFixed(0),
      (snapshotBytes / 1e6).toFixed(0),
      loadMs.toFixed(0),
      ...times,
      load.map(one => one.toFixed(0)).join(' to '),
    ]
    lines.push(`| ${figures.join(' | ')} |`)
  }
  return lines.join('\n')
}
