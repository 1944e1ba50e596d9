import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, insert, search } from '@orama/orama'
import Database from '../../src/store/sqlite/connection/driver.js'
import { type Contender, resultDepth } from './contender.js'

/** Orama with its defaults, with texts and vectors. */
export function oramaContender(dimensions: number): Contender {
  const orama = create({
    schema: { content: 'string', project: 'enum', embedding: `vector[${dimensions}]` as const },
  })
  const limit = resultDepth
  const vectorOf = (value: Float32Array) => ({ value: Array.from(value), property: 'embedding' })
  return {
    rounds: 5,
    insert({ id, content, project }, vector) {
      insert(orama, { id, content, project: project!, embedding: Array.from(vector) })
    },
    queries: {
      keyword: ({ text }) => search(orama, { term: text, properties: ['content'], limit }),
      vector: ({ vector }) =>
        search(orama, { mode: 'vector', vector: vectorOf(vector), similarity: 0, limit }),
      hybrid: ({ text, vector }) =>
        search(orama, { mode: 'hybrid', term: text, vector: vectorOf(vector), similarity: 0, limit }),
    },
  }
}

/** SQLite's full-text index with Porter stems; any query word may match. */
export function fts5Contender(): Contender {
  const folder = mkdtempSync(join(tmpdir(), 'index-bench-'))
  const database = new Database(join(folder, 'fts.db'))
  database.pragma('journal_mode = WAL')
  database.exec(
    `CREATE VIRTUAL TABLE texts USING fts5 (id UNINDEXED, content, tokenize = 'porter unicode61')`,
  )
  database.exec('BEGIN')
  const add = database.prepare('INSERT INTO texts (id, content) VALUES (?, ?)')
  const find = database.prepare(
    `SELECT id, bm25(texts) AS score FROM texts WHERE texts MATCH ? ORDER BY score LIMIT ${resultDepth}`,
  )
  return {
    rounds: 50,
    insert: ({ id, content }) => add.run(id, content),
    queries: {
      keyword({ text }) {
        if (database.inTransaction) database.exec('COMMIT')
        return find.all(text.split(' ').join(' OR '))
      },
    },
    close() {
      database.close()
      rmSync(folder, { recursive: true })
    },
  }
}
