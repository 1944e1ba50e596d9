import type { Api } from './api.js'
import {
  type Address,
  type CallOptions,
  Connection,
  type Input,
  type MemoryOptions,
  type Reply,
} from './http.js'
import { eventsOf, jsonLines } from './streams.js'

type Body<A extends Address> = Api[A] extends { body?: infer B } ? NonNullable<B> : never
type Query<A extends Address> = Api[A] extends { query?: infer Q } ? NonNullable<Q> : never
type Signal = Pick<CallOptions, 'signal'>

export type RememberOptions = Omit<Body<'POST /api/memory/remember'>, 'content'> & Signal
export type RecallOptions = Omit<Body<'POST /api/memory/recall'>, 'query'> & Signal
export type RecallReply = Reply<'POST /api/memory/recall'>
export type RecalledMemory = RecallReply['results'][number]
export type SearchOptions = Omit<Body<'POST /api/search'>, 'query' | 'offset'> & Signal
export type FoundItem = Reply<'POST /api/search'>['items'][number]
export type ListOptions = Omit<Query<'GET /api/memories'>, 'offset'> & Signal
export type ListedMemory = Reply<'GET /api/memories'>['memories'][number]
export type MemoryChange = Reply<'GET /api/memories/stream'>
export type ExportLine = Reply<'GET /api/export'>
export type Document = Reply<'GET /api/documents/{id}'>
export type SessionContext = Reply<'POST /api/hooks/session-start'>

/** What a model should read before it answers a prompt. */
export interface PromptContext {
  /** Text for the model; empty if nothing answers the prompt. */
  text: string
  memories: RecalledMemory[]
}

const pageSize = 100

/**
 * Remembers, recalls and forgets in a memory-service.
 *
 * `new Memory()` finds the daemon of this machine and starts it if needed; `new Memory({ url, key })` uses
 * another one. Nothing is sent before the first call.
 */
export class Memory {
  readonly #connection: Connection
  /** Sessions of your agent, and what earlier ones said. */
  readonly sessions: Sessions
  /** Documents whose passages recall finds. */
  readonly documents: Documents

  constructor(options: MemoryOptions = {}) {
    this.#connection = new Connection(options)
    this.sessions = new Sessions(this)
    this.documents = new Documents(this)
  }

  /**
   * Calls any address of the API with its types, for example
   * `request('GET /api/timeline/{id}', { params: { id } })`.
   * @throws ServiceError
   */
  async request<A extends Address>(
    address: A,
    input: Input<A> = {} as Input<A>,
    options: CallOptions = {},
  ): Promise<Reply<A>> {
    const response = await this.#connection.send(address, input, options)
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return (isJson ? await response.json() : await response.text()) as Reply<A>
  }

  /** Like `request`, for replies that arrive in parts. The caller reads or cancels the body. */
  stream<A extends Address>(
    address: A,
    input: Input<A> = {} as Input<A>,
    options: Signal = {},
  ): Promise<Response> {
    return this.#connection.send(address, input, { ...options, stream: true })
  }

  /**
   * Saves a statement; saving a text twice gives the same memory. It is sent with an idempotency key, so
   * retries after a lost reply save it once.
   */
  remember(content: string, options: RememberOptions = {}): Promise<Reply<'POST /api/memory/remember'>> {
    const { signal, idempotencyKey = crypto.randomUUID(), ...fields } = options
    const body = { content, idempotencyKey, ...fields }
    return this.request('POST /api/memory/remember', { body }, { signal, repeats: true })
  }

  /** Finds memories that answer a question, best first. */
  recall(query: string, { signal, ...fields }: RecallOptions = {}): Promise<RecallReply> {
    return this.request('POST /api/memory/recall', { body: { query, ...fields } }, { signal, repeats: true })
  }

  /** Returns the memories that belong to a prompt as text for a model. With a `sessionKey` nothing comes twice. */
  async context(prompt: string, options: RecallOptions = {}): Promise<PromptContext> {
    const { message, results } = await this.recall(prompt, { limit: 5, ...options })
    return { text: results.length > 0 ? message : '', memories: results }
  }

  /** Yields memories, sessions, notes, documents, code and entities for a query, best first. */
  async *search(query: string, { signal, ...fields }: SearchOptions = {}): AsyncGenerator<FoundItem> {
    let offset: number | null = 0
    while (offset !== null) {
      const body: Body<'POST /api/search'> = { query, ...fields, offset }
      const page: Reply<'POST /api/search'> = await this.request(
        'POST /api/search',
        { body },
        { signal, repeats: true },
      )
      yield* page.items
      offset = page.next
    }
  }

  get(id: string, options: Signal = {}): Promise<Reply<'GET /api/memory/{id}'>> {
    return this.request('GET /api/memory/{id}', { params: { id } }, options)
  }

  /** Yields memories, newest first. `limit` is the size of a page. */
  list({ signal, limit = pageSize, ...query }: ListOptions = {}): AsyncGenerator<ListedMemory> {
    return pages(limit, async offset => {
      const page = { ...query, limit, offset }
      return (await this.request('GET /api/memories', { query: page }, { signal })).memories
    })
  }

  /** Changes tags, project, importance or pinning. */
  edit(id: string, fields: Body<'PATCH /api/memory/{id}'>): Promise<Reply<'PATCH /api/memory/{id}'>> {
    return this.request('PATCH /api/memory/{id}', { params: { id }, body: fields })
  }

  /** Forgets a memory; `recover` brings it back for 30 days. */
  forget(
    id: string,
    query: Query<'DELETE /api/memory/{id}'> & { reason: string },
  ): Promise<Reply<'DELETE /api/memory/{id}'>> {
    return this.request('DELETE /api/memory/{id}', { params: { id }, query })
  }

  recover(id: string, { reason }: { reason: string }): Promise<Reply<'POST /api/memory/{id}/recover'>> {
    return this.request('POST /api/memory/{id}/recover', { params: { id }, body: { reason } })
  }

  /** Judges a memory for all recalls. */
  rate(
    id: string,
    judgement: Body<'POST /api/memory/{id}/judgement'>['judgement'],
  ): Promise<Reply<'POST /api/memory/{id}/judgement'>> {
    return this.request('POST /api/memory/{id}/judgement', { params: { id }, body: { judgement } })
  }

  history(id: string): Promise<Reply<'GET /api/memory/{id}/history'>> {
    return this.request('GET /api/memory/{id}/history', { params: { id } })
  }

  /** Yields changes of memories as they happen, without texts, until the signal aborts. */
  async *changes(options: Signal = {}): AsyncGenerator<MemoryChange> {
    yield* eventsOf<MemoryChange>(await this.stream('GET /api/memories/stream', {}, options))
  }

  /** Yields the lines of an export as they arrive: a header, agents, memories with their history. */
  async *export(query: Query<'GET /api/export'> = {}, options: Signal = {}): AsyncGenerator<ExportLine> {
    yield* jsonLines<ExportLine>(await this.stream('GET /api/export', { query }, options))
  }

  status(): Promise<Reply<'GET /api/status'>> {
    return this.request('GET /api/status')
  }
}

type HookOptions<A extends Address> = Omit<Body<A>, 'harness' | 'sessionKey'> & { harness?: string }

/** Sessions as hooks report them: a start and each prompt get context, the end keeps the transcript. */
export class Sessions {
  constructor(private readonly memory: Memory) {}

  /** Opens a session; `inject` of the reply is its starting context. */
  start(
    sessionKey: string,
    { harness = 'sdk', ...fields }: HookOptions<'POST /api/hooks/session-start'> = {},
  ): Promise<SessionContext> {
    return this.memory.request('POST /api/hooks/session-start', { body: { harness, sessionKey, ...fields } })
  }

  /** Counts a prompt; `inject` has facts about the entities that it names. */
  prompt(
    sessionKey: string,
    userMessage: string,
    {
      harness = 'sdk',
      ...fields
    }: Omit<HookOptions<'POST /api/hooks/user-prompt-submit'>, 'userMessage'> = {},
  ): Promise<Reply<'POST /api/hooks/user-prompt-submit'>> {
    const body = { harness, sessionKey, userMessage, ...fields }
    return this.memory.request('POST /api/hooks/user-prompt-submit', { body })
  }

  /** Ends a session and keeps its transcript, a text or messages with \`role\` and \`content\`. */
  end(
    sessionKey: string,
    { harness = 'sdk', ...fields }: HookOptions<'POST /api/hooks/session-end'> = {},
  ): Promise<Reply<'POST /api/hooks/session-end'>> {
    return this.memory.request('POST /api/hooks/session-end', { body: { harness, sessionKey, ...fields } })
  }

  async list(query: Query<'GET /api/sessions'> = {}): Promise<Reply<'GET /api/sessions'>['sessions']> {
    return (await this.memory.request('GET /api/sessions', { query })).sessions
  }

  /** Finds what earlier sessions said. */
  async search(
    query: string,
    fields: Omit<Body<'POST /api/sessions/search'>, 'query'> = {},
  ): Promise<Reply<'POST /api/sessions/search'>['hits']> {
    const body = { query, ...fields }
    return (await this.memory.request('POST /api/sessions/search', { body }, { repeats: true })).hits
  }

  turns(
    key: string,
    query: Query<'GET /api/sessions/{key}/turns'> = {},
  ): Promise<Reply<'GET /api/sessions/{key}/turns'>> {
    return this.memory.request('GET /api/sessions/{key}/turns', { params: { key }, query })
  }
}

type DocumentFields = Omit<Body<'POST /api/documents'>, 'source_type' | 'content' | 'url'>
type AddedDocument = Reply<'POST /api/documents'>

export class Documents {
  constructor(private readonly memory: Memory) {}

  addText(content: string, fields: DocumentFields = {}): Promise<AddedDocument> {
    return this.#add({ source_type: 'text', content, ...fields })
  }

  addUrl(url: string, fields: DocumentFields = {}): Promise<AddedDocument> {
    return this.#add({ source_type: 'url', url, ...fields })
  }

  /** Adds a file of the daemon's machine by its absolute path. */
  addFile(path: string, fields: DocumentFields = {}): Promise<AddedDocument> {
    return this.#add({ source_type: 'file', url: path, ...fields })
  }

  #add(body: Body<'POST /api/documents'>): Promise<AddedDocument> {
    return this.memory.request('POST /api/documents', { body })
  }

  get(id: string): Promise<Document> {
    return this.memory.request('GET /api/documents/{id}', { params: { id } })
  }

  /**
   * Waits until a document can be found, or its reading failed.
   * @returns its last state: `done` or `failed`, with `error`.
   */
  async ready(id: string, { signal }: Signal = {}): Promise<Document> {
    for (;;) {
      const document = await this.memory.request('GET /api/documents/{id}', { params: { id } }, { signal })
      if (['done', 'failed', 'deleted'].includes(document.status)) return document
      await new Promise(resolve => setTimeout(resolve, 200))
    }
  }

  /** Yields documents, newest first. `limit` is the size of a page. */
  list({
    limit = pageSize,
    ...query
  }: Omit<Query<'GET /api/documents'>, 'offset'> = {}): AsyncGenerator<Document> {
    return pages(limit, async offset => {
      const page = { ...query, limit, offset }
      return (await this.memory.request('GET /api/documents', { query: page })).documents
    })
  }

  async passages(id: string): Promise<Reply<'GET /api/documents/{id}/chunks'>['chunks']> {
    return (await this.memory.request('GET /api/documents/{id}/chunks', { params: { id } })).chunks
  }

  remove(id: string, { reason }: { reason: string }): Promise<Reply<'DELETE /api/documents/{id}'>> {
    return this.memory.request('DELETE /api/documents/{id}', { params: { id }, query: { reason } })
  }
}

/** Yields the rows of one page after another until a page is not full. */
async function* pages<T>(size: number, read: (offset: number) => Promise<T[]>): AsyncGenerator<T> {
  for (let offset = 0; ; offset += size) {
    const rows = await read(offset)
    yield* rows
    if (rows.length < size) return
  }
}
