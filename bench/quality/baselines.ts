import { create, insert, search } from '@orama/orama'
import Database from '../../src/store/sqlite/connection/driver.js'
import { type Baseline, wordsOf } from './plain-bm25.js'

/** Orama with its own index, tokenizer and defaults. */
export class StockOrama implements Baseline {
  #orama = create({ schema: { content: 'string' } as const })

  add({ id, content }: { id: string; content: string }): void {
    insert(this.#orama, { id, content })
  }

  async recall(query: string, limit: number): Promise<string[]> {
    const { hits } = await search(this.#orama, { term: query, properties: ['content'], limit })
    return hits.map(({ id }) => id)
  }
}

/** SQLite FTS5 with Porter stems. Any word of the query may match, since an AND finds almost nothing. */
export class SqliteFts implements Baseline {
  #database = new Database(':memory:')

  constructor() {
    this.#database.exec(
      "CREATE VIRTUAL TABLE memories USING fts5(content, id UNINDEXED, tokenize = 'porter unicode61')",
    )
  }

  add({ id, content }: { id: string; content: string }): void {
    this.#database.prepare('INSERT INTO memories (content, id) VALUES (?, ?)').run(content, id)
  }

  recall(query: string, limit: number): string[] {
    const match = [...new Set(wordsOf(query))].map(word => `"${word}"`).join(' OR ')
    if (match === '') return []
    const select = this.#database.prepare<[string, number], { id: string }>(
      'SELECT id FROM memories WHERE memories MATCH ? ORDER BY rank LIMIT ?',
    )
    return select.all(match, limit).map(({ id }) => id)
  }
}
