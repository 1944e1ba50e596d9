import { type AnyDocument, type AnyOrama, create, insert, remove } from '@orama/orama'
import type { IndexDocument, IndexHits, IndexQuery, IndexStats } from '../memory-index.js'
import { type PackedHits, unpackHits } from '../packed/packed-hits.js'
import { type PackedOptions, PackedRows } from '../packed/packed-rows.js'
import type { ChangedIds } from '../snapshot/changes.js'
import { readSnapshot } from '../snapshot/read-snapshot.js'
import type { SnapshotState } from '../snapshot/stored.js'
import { writeSnapshot } from '../snapshot/write-snapshot.js'
import { maxAnalysedChars } from '../words/analysis/analyzer.js'
import { searchChannels } from './hybrid-search.js'
import type { MemoryIndex } from './memory-index.js'
import { packedPlugin, packedSchema } from './packed-plugin.js'

export interface MemoryIndexOptions extends PackedOptions {
  /** Name of the embedding model: vectors of another one don't compare, so a snapshot of another one is refused. */
  model?: string | undefined
}

/** `MemoryIndex` on Orama with the packed component. */
export class PackedMemoryIndex implements MemoryIndex {
  readonly #rows: PackedRows
  readonly #orama: AnyOrama
  readonly #model: string | null
  #change = 0
  #searches = 0
  #saving: Promise<unknown> = Promise.resolve()
  #changed: ChangedIds | undefined

  constructor(options: MemoryIndexOptions) {
    this.#model = options.model ?? null
    this.#rows = new PackedRows(options)
    this.#orama = create({
      schema: packedSchema,
      plugins: [packedPlugin(this.#rows)],
      sort: { enabled: false },
      components: {
        validateSchema: () => undefined,
        getDocumentProperties: presentProperties,
      },
    })
  }

  upsert(document: IndexDocument): void {
    const { id } = document
    const known = this.#rowOf(id)
    if (known !== undefined) {
      if (this.#rows.columns.numbers.change[known]! > document.change) return
      this.#removeRow(id, { keepVector: true })
    }
    // A search or a save that is under way may still mean the memory that was there before.
    const reuse = this.#searches === 0 && this.#changed === undefined
    const row = this.#rows.ids.assign(id, { reuse })
    insert(this.#orama, { ...document, content: withAuthor(document) })
    this.#rows.sessions.add(row)
    this.#rows.masks.refresh(row)
    this.#change = Math.max(this.#change, document.change)
    this.#changed?.add(id)
  }

  setVector(id: string, vector: Float32Array): void {
    const row = this.#rowOf(id)
    if (row === undefined) return
    this.#rows.openVectors(vector.length).set(row, vector)
    this.#rows.exact?.forget(row)
    this.#changed?.add(id)
  }

  remove(id: string): boolean {
    if (!this.has(id)) return false
    this.#removeRow(id, { keepVector: false })
    this.#changed?.add(id)
    return true
  }

  has(id: string): boolean {
    return this.#rowOf(id) !== undefined
  }

  changeOf(id: string): number | undefined {
    const row = this.#rowOf(id)
    return row === undefined ? undefined : this.#rows.columns.numbers.change[row]
  }

  async search(query: IndexQuery): Promise<IndexHits> {
    return unpackHits(await this.searchPacked(query))
  }

  async searchPacked(query: IndexQuery): Promise<PackedHits> {
    this.#searches++
    try {
      return await searchChannels(this.#orama, this.#rows, query)
    } finally {
      this.#searches--
    }
  }

  async save(file: string): Promise<number> {
    const before = this.#saving
    const save = before.then(() => this.#save(file))
    this.#saving = save.catch(() => {})
    return save
  }

  /** Fills this index, which must be empty. @throws SnapshotError */
  async load(file: string): Promise<void> {
    const { change } = await readSnapshot(file, this.#snapshotState())
    this.#change = change
  }

  stats(): IndexStats {
    const { columns, vectors, terms, bytes } = this.#rows
    return {
      documents: columns.count,
      vectors: vectors?.count ?? 0,
      terms: terms.size,
      bytes,
      change: this.#change,
    }
  }

  async #save(file: string): Promise<number> {
    this.#changed = new Set()
    try {
      return await writeSnapshot(file, this.#snapshotState(), this.#changed)
    } finally {
      this.#changed = undefined
    }
  }

  #snapshotState(): SnapshotState {
    return {
      rows: this.#rows,
      model: this.#model,
      change: () => this.#change,
    }
  }

  #rowOf(id: string): number | undefined {
    const row = this.#rows.ids.rowOf(id)
    return row !== undefined && this.#rows.columns.live[row] === 1 ? row : undefined
  }

  #removeRow(id: string, { keepVector }: { keepVector: boolean }): void {
    const row = this.#rowOf(id)!
    this.#rows.sessions.remove(row)
    // The plugin's hook drops the vector.
    remove(this.#orama, id, undefined, keepVector)
    if (!keepVector) this.#rows.ids.free(row)
    this.#rows.masks.refresh(row)
  }
}

/** A memory without, say, a project has null there; to Orama such a property is absent. */
function presentProperties(
  document: AnyDocument,
  names: string[],
): Record<string, string | number | boolean> {
  const present: Record<string, string | number | boolean> = {}
  for (const name of names) if (document[name] != null) present[name] = document[name]
  return present
}

/** The author counts as text, once, unless the text names it anyway. */
function withAuthor({ content, who }: IndexDocument): string {
  const analysed = content.slice(0, maxAnalysedChars)
  if (!who || analysed.toLowerCase().includes(who.toLowerCase())) return analysed
  return `${who}\n${analysed}`
}
