import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { pino } from 'pino'
import { createLiveDocuments, type IndexSource } from '../../../../src/daemon/search/live-documents.js'
import { unpackHits } from '../../../../src/store/index/packed-hits.js'
import { sampleDocument } from '../../store/index/sample-document.js'

interface Row {
  change: number
  content: string
}

const model = { provider: 'test', model: 'test' }

/** A database of rows whose ids are their first words. */
function sourceOf(rows: readonly Row[]): IndexSource<Row> {
  const id = ({ content }: Row) => content.split(' ')[0]!
  return {
    lastChange: async () => rows.at(-1)?.change ?? 0,
    countAlive: async () => rows.length,
    beforeChange: async change => rows.filter(row => row.change < change).toReversed(),
    afterChange: async change => rows.filter(row => row.change > change),
    entries: async some =>
      some.map(row => ({
        id: id(row),
        document: sampleDocument(id(row), row.content, { change: row.change }),
        vector: new Float32Array([row.change, 1]),
      })),
  }
}

test('a start leaves what the snapshot holds as it is, but for vectors, and takes in what it lacks', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'live-documents-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const shared = { file: join(folder, 'index.snapshot'), log: pino({ level: 'silent' }) }
  const before = [
    { change: 1, content: 'first fox' },
    { change: 2, content: 'second fox' },
  ]
  const first = createLiveDocuments({ ...shared, source: sourceOf(before) })
  await first.use(model)
  await first.close()

  const now = [
    { change: 1, content: 'first must not be analysed again: dog' },
    { change: 3, content: 'second changed: dog' },
    { change: 4, content: 'third dog' },
  ]
  const second = createLiveDocuments({ ...shared, source: sourceOf(now) })
  await second.use(model)
  const found = async (text: string) =>
    unpackHits(await second.search({ text, depth: 9 }))
      .keyword.map(({ id }) => id)
      .sort()
  t.deepEqual(await found('dog'), ['second', 'third'])
  t.deepEqual(await found('fox'), ['first'])
  t.like(await second.stats(), { vectors: 3, state: 'ready' })
  await second.close()
})
