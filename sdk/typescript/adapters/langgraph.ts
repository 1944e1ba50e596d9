import {
  BaseStore,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchOperation,
} from '@langchain/langgraph'
import type { Memory } from 'memory-service-client'

type SearchItem = Awaited<ReturnType<BaseStore['search']>>[number]

interface Stored {
  namespace: string[]
  key: string
  value: Record<string, unknown>
  createdAt: string
}

const all = 'langgraph'
/** Rows of one recall at most. */
const mostRecalled = 100

/**
 * A store of LangGraph that keeps its items as memories, so that other agents find them as well.
 *
 * An item with one text, like `{ text: 'likes tea' }`, is a memory of this text; others are their JSON. Writes are
 * applied in their order. `index: false` and paths of `index` are not followed: all of an item can be searched.
 */
export class MemoryStore extends BaseStore {
  readonly #memory: Memory
  readonly #project: string | undefined

  constructor(memory: Memory, { project }: { project?: string } = {}) {
    super()
    this.#memory = memory
    this.#project = project
  }

  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = []
    for (const operation of operations) results.push(await this.#run(operation))
    return results as OperationResults<Op>
  }

  #run(operation: Operation): Promise<unknown> {
    if ('namespacePrefix' in operation) return this.#search(operation)
    if ('value' in operation) return this.#put(operation)
    if ('key' in operation) return this.#get(operation.namespace, operation.key)
    return this.#namespaces(operation)
  }

  async #get(namespace: string[], key: string): Promise<Item | null> {
    for await (const { id } of this.#rows(itemTag(namespace, key))) return this.#read(id)
    return null
  }

  async #put({ namespace, key, value }: PutOperation): Promise<void> {
    let createdAt = new Date().toISOString()
    for await (const { id } of this.#rows(itemTag(namespace, key))) {
      createdAt = (await this.#read(id))?.createdAt.toISOString() ?? createdAt
      await this.#memory.forget(id, {
        reason: value === null ? 'deleted by LangGraph' : 'replaced by LangGraph',
      })
    }
    if (value === null) return
    const stored: Stored = { namespace, key, value, createdAt }
    const { id, deduped } = await this.#memory.remember(
      `${textOf(value)} (${this.#nameOf(namespace, key)})`,
      {
        project: this.#project,
        tags: [
          all,
          itemTag(namespace, key),
          ...namespace.map((_, end) => prefixTag(namespace.slice(0, end + 1))),
        ],
        structured: { langgraph: stored },
      },
    )
    if (deduped && (await this.#read(id))?.key !== key) {
      throw new Error(`the key ${key} is there in another case, which this store takes for the same`)
    }
  }

  async #search({
    namespacePrefix,
    query,
    filter,
    limit = 10,
    offset = 0,
  }: SearchOperation): Promise<SearchItem[]> {
    const found: SearchItem[] = []
    for await (const { id, score } of this.#candidates(prefixTag(namespacePrefix), query)) {
      const item = await this.#read(id)
      if (item && matches(item.value, filter)) found.push({ ...item, score })
      if (found.length >= offset + limit) break
    }
    return found.slice(offset)
  }

  async *#candidates(tag: string, query: string | undefined): AsyncGenerator<{ id: string; score?: number }> {
    if (!query) return yield* this.#rows(tag)
    const options = { tags: [tag], limit: mostRecalled, project: this.#project }
    yield* (await this.#memory.recall(query, options)).results
  }

  async #namespaces({
    matchConditions = [],
    maxDepth,
    limit,
    offset,
  }: ListNamespacesOperation): Promise<string[][]> {
    const found = new Map<string, string[]>()
    for await (const { tags } of this.#rows(all)) {
      const namespace = namespaceOf(tags.split(','))
      if (!matchConditions.every(condition => fits(namespace, condition))) continue
      const cut = namespace.slice(0, maxDepth)
      found.set(prefixTag(cut), cut)
    }
    return [...found.values()].slice(offset, offset + limit)
  }

  /** Two stores never share a memory, not even for one text. */
  #nameOf(namespace: readonly string[], key: string): string {
    return [...(this.#project === undefined ? [] : [this.#project]), ...namespace, key].join('/')
  }

  #rows(tag: string): ReturnType<Memory['list']> {
    return this.#memory.list({ tags: [tag], project: this.#project, maxContent: 1 })
  }

  async #read(id: string): Promise<Item | null> {
    const record = await this.#memory.get(id)
    const stored = (record.structured as { langgraph?: Stored } | null)?.langgraph
    if (!stored) return null
    const { namespace, key, value, createdAt } = stored
    return { namespace, key, value, createdAt: new Date(createdAt), updatedAt: new Date(record.created_at) }
  }
}

const encoded = (path: readonly string[]) => path.map(encodeURIComponent).join('/')
const prefixTag = (prefix: readonly string[]) => (prefix.length > 0 ? `${all}:${encoded(prefix)}` : all)
const itemTag = (namespace: readonly string[], key: string) => `${all}-item:${encoded([...namespace, key])}`

function namespaceOf(tags: readonly string[]): string[] {
  const item = tags.find(tag => tag.startsWith(`${all}-item:`)) ?? ''
  return item.slice(`${all}-item:`.length).split('/').map(decodeURIComponent).slice(0, -1)
}

function textOf(value: Record<string, unknown>): string {
  const [only, ...others] = Object.values(value)
  return typeof only === 'string' && others.length === 0 ? only : JSON.stringify(value)
}

function fits(namespace: string[], { matchType, path }: { matchType: string; path: string[] }): boolean {
  const part = matchType === 'suffix' ? namespace.slice(-path.length) : namespace.slice(0, path.length)
  return part.length === path.length && path.every((label, place) => label === '*' || label === part[place])
}

function matches(value: Record<string, unknown>, filter: Record<string, unknown> | undefined): boolean {
  return Object.entries(filter ?? {}).every(([field, wanted]) => {
    const isRule =
      wanted !== null && typeof wanted === 'object' && Object.keys(wanted).some(name => name.startsWith('$'))
    const rules = isRule ? Object.entries(wanted) : [['$eq', wanted]]
    return rules.every(([name, operand]) => compare(value[field], String(name), operand))
  })
}

function compare(value: unknown, name: string, operand: unknown): boolean {
  const isSame = JSON.stringify(value) === JSON.stringify(operand)
  if (name === '$eq') return isSame
  if (name === '$ne') return !isSame
  const [left, right] = [Number(value), Number(operand)]
  if (name === '$gt') return left > right
  if (name === '$gte') return left >= right
  if (name === '$lt') return left < right
  if (name === '$lte') return left <= right
  throw new Error(`unknown comparison: ${name}`)
}
