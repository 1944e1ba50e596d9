import { create, insert, search } from '@orama/orama'
import Database from 'better-sqlite3'
import type { RecallSystem, StoredMemory } from './recall-system.js'

/** Orama as it comes: its own index, tokenizer and defaults. */
export class StockOrama implements RecallSystem {
  readonly name = 'stock Orama'
  #orama = create({ schema: { content: 'string', project: 'enum' } as const })

  add({ id, content, project }: StoredMemory): void {
    insert(this.#orama, { id, content, project })
  }

  async recall(query: string, project: string, limit: number): Promise<string[]> {
    const where = { project: { eq: project } }
    const { hits } = await search(this.#orama, { term: query, properties: ['content'], where, limit })
    return hits.map(({ id }) => id)
  }

  close(): void {
    this.#orama = create({ schema: { content: 'string', project: 'enum' } as const })
  }
}

/** SQLite FTS5 with Porter stems; any word of the query may match, as a plain AND finds next to nothing. */
export class SqliteFts implements RecallSystem {
  readonly name = 'SQLite FTS5 porter'
  #database = new Database(':memory:')

  constructor() {
    this.#database.exec(
      "CREATE VIRTUAL TABLE memories USING fts5(content, id UNINDEXED, project UNINDEXED, tokenize = 'porter unicode61')",
    )
  }

  add({ id, content, project }: StoredMemory): void {
    const insertRow = this.#database.prepare('INSERT INTO memories (content, id, project) VALUES (?, ?, ?)')
    insertRow.run(content, id, project)
  }

  async recall(query: string, project: string, limit: number): Promise<string[]> {
    const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
    if (words.length === 0) return []
    const match = words.map(word => `"${word}"`).join(' OR ')
    const select = this.#database.prepare<[string, string, number], { id: string }>(
      'SELECT id FROM memories WHERE memories MATCH ? AND project = ? ORDER BY rank LIMIT ?',
    )
    return select.all(match, project, limit).map(({ id }) => id)
  }

  close(): void {
    this.#database.close()
  }
}
