import { type AgentInputItem, type CallModelInputFilter, type Session, type Tool, tool } from '@openai/agents'
import type { Memory } from 'memory-service-client'
import { type AdapterOptions, contextFor, toolsOf, warn } from './shared.js'

const pageSize = 200

/** Returns the tools `remember` and `recall` for an agent of the OpenAI Agents SDK. */
export function memoryTools(memory: Memory, options: AdapterOptions = {}): Tool[] {
  return toolsOf(memory, options).map(({ name, description, parameters, run }) =>
    tool({ name, description, parameters, strict: true, execute: run }),
  )
}

/** Returns a `callModelInputFilter` that adds the memories for the last prompt to the instructions of each call. */
export function memoryFilter(memory: Memory, options: AdapterOptions = {}): CallModelInputFilter {
  return async ({ modelData }) => {
    const asked = modelData.input.map(wordsOf).findLast(words => words?.role === 'user')
    const text = await contextFor(memory, asked?.content ?? '', options)
    const instructions = [modelData.instructions, text].filter(Boolean).join('\n\n')
    return text === '' ? modelData : { ...modelData, instructions }
  }
}

/**
 * A session of the OpenAI Agents SDK whose words the service keeps, so that all agents can search them.
 *
 * Another process that opens it gets what user and assistant said; calls of tools live as long as the object.
 */
export class KeptSession implements Session {
  readonly #memory: Memory
  readonly #key: string
  readonly #onError: (error: unknown) => void
  #items: AgentInputItem[] | undefined

  constructor(memory: Memory, key: string, { onError = warn }: Pick<AdapterOptions, 'onError'> = {}) {
    this.#memory = memory
    this.#key = key
    this.#onError = onError
  }

  async getSessionId(): Promise<string> {
    return this.#key
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    const items = await this.#load()
    return limit === undefined ? [...items] : items.slice(Math.max(0, items.length - limit))
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    const known = await this.#load()
    known.push(...items)
    await this.#keep(known)
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    const items = await this.#load()
    const last = items.pop()
    await this.#keep(items)
    return last
  }

  /** Begins anew in this object; the service keeps what was said. */
  async clearSession(): Promise<void> {
    this.#items = []
  }

  async #load(): Promise<AgentInputItem[]> {
    this.#items ??= await this.#saidBefore().catch(error => {
      if (error.code !== 'not_found') this.#onError(error)
      return []
    })
    return this.#items
  }

  async #saidBefore(): Promise<AgentInputItem[]> {
    const items: AgentInputItem[] = []
    for (let from = 0, total = 1; from < total; from += pageSize) {
      const page = await this.#memory.sessions.turns(this.#key, { from, limit: pageSize })
      total = page.total
      items.push(...page.turns.flatMap(itemOf))
    }
    return items
  }

  async #keep(items: readonly AgentInputItem[]): Promise<void> {
    const transcript = items.map(wordsOf).filter(words => words !== undefined)
    // An end is captured however short the session is, and a later one replaces it.
    await this.#memory.sessions.end(this.#key, { harness: 'openai-agents', transcript }).catch(this.#onError)
  }
}

function itemOf({ role, text }: { role: string; text: string | null }): AgentInputItem[] {
  if (role === 'user' && text) return [{ role, content: text }]
  if (role !== 'assistant' || !text) return []
  return [{ role, status: 'completed', content: [{ type: 'output_text', text }] }]
}

function wordsOf(item: AgentInputItem): { role: string; content: string } | undefined {
  if (!('role' in item)) return
  const { role, content } = item
  const parts =
    typeof content === 'string' ? [content] : content.map(part => ('text' in part ? part.text : ''))
  return { role, content: parts.join('\n').trim() }
}
