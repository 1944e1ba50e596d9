import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError } from '../../../../contract/ground/errors.js'
import { isRecord, jsonOf } from '../../../../lib/text/json-of.js'
import { messageOf } from '../../../../lib/text/message-of.js'
import { type ForeignDatabase, openForeignDatabase } from '../../../../store/sqlite/foreign-database.js'
import {
  type FoundFile,
  type FoundItem,
  type FoundMemory,
  keyByText,
  type MemoryType,
  textIn,
  textsOf,
  typeOfText,
} from './found-memory.js'

type Read = (database: ForeignDatabase) => Iterable<FoundItem>

async function databaseFile(path: string, table: string, read: Read): Promise<FoundFile> {
  const { mtime } = await stat(path)
  return { path, changedAt: mtime, found: rowsOf(path, table, read) }
}

/**
 * Reads one database, which is open while its memories are taken.
 * @throws AppError `validation_failed` for a file that is not this program's database.
 */
function* rowsOf(path: string, table: string, read: Read): Generator<FoundItem> {
  let database: ForeignDatabase
  try {
    database = openForeignDatabase(path)
  } catch (error) {
    throw new AppError('validation_failed', `${path} cannot be read as a database: ${messageOf(error)}`)
  }
  try {
    if (!database.hasTable(table))
      throw new AppError('validation_failed', `${path} belongs to another program: it has no table ${table}`)
    yield* read(database)
  } finally {
    database.close()
  }
}

/** Returns the first of these files in a folder, or the path itself if it is a file. */
async function fileAt(place: string, names: readonly string[]): Promise<string> {
  if (!(await stat(place)).isDirectory()) return place
  for (const name of names) {
    const path = join(place, name)
    if ((await stat(path).catch(() => undefined))?.isFile()) return path
  }
  throw new AppError('validation_failed', `${place} has no ${names.join(' and no ')}; name the file itself`)
}

const untrimmed = (value: unknown): string => (typeof value === 'string' ? value : '')
const listIn = (value: unknown): string[] => textsOf(typeof value === 'string' ? jsonOf(value) : value)

/** mem0's history database, which has the text of each memory; or its memories as JSON. */
export async function* mem0Database(place: string): AsyncGenerator<FoundFile> {
  yield await databaseFile(await fileAt(place, ['history.db']), 'history', mem0History)
}

function* mem0History(database: ForeignDatabase): Generator<FoundItem> {
  const memories = new Map<string, FoundMemory>()
  let deleted = 0
  const columns = [
    'memory_id',
    'new_memory',
    'event',
    'created_at',
    'updated_at',
    'is_deleted',
    'actor_id',
  ] as const
  for (const row of database.rows('history', columns)) {
    const key = textIn(row.memory_id)
    const before = memories.get(key)
    if (row.event === 'DELETE' || Number(row.is_deleted ?? 0) === 1) {
      if (memories.delete(key)) deleted++
    } else if (textIn(row.new_memory) !== '') {
      const content = textIn(row.new_memory)
      memories.set(key, {
        key,
        content,
        what: 'memory',
        type: typeOfText(content),
        createdAt: before?.createdAt ?? row.created_at,
        updatedAt: row.updated_at ?? row.created_at,
        ...(textIn(row.actor_id) !== '' && { structured: { actor: textIn(row.actor_id) } }),
      })
    }
  }
  yield* memories.values()
  if (deleted > 0) yield { leftOut: 'deleted there', count: deleted }
}

const claudeMemTypes: Readonly<Record<string, MemoryType>> = {
  decision: 'decision',
  discovery: 'learning',
  bugfix: 'learning',
  feature: 'fact',
  refactor: 'fact',
  change: 'fact',
}

/** claude-mem's observations and summaries of sessions. */
export async function* claudeMem(place: string): AsyncGenerator<FoundFile> {
  yield await databaseFile(await fileAt(place, ['claude-mem.db']), 'observations', claudeMemRows)
}

const observationColumns = [
  'id',
  'memory_session_id',
  'sdk_session_id',
  'project',
  'text',
  'type',
  'title',
  'subtitle',
  'narrative',
  'facts',
  'concepts',
  'files_read',
  'files_modified',
  'created_at_epoch',
  'created_at',
] as const
const summaryParts = ['request', 'investigated', 'learned', 'completed', 'next_steps', 'notes'] as const

function* claudeMemRows(database: ForeignDatabase): Generator<FoundItem> {
  for (const row of database.rows('observations', observationColumns)) {
    const session = textIn(row.memory_session_id) || textIn(row.sdk_session_id)
    const kind = textIn(row.type) || 'observation'
    const body = textIn(row.narrative) || textIn(row.text)
    const facts = listIn(row.facts).map(fact => `- ${fact}`)
    const content = [textIn(row.title), textIn(row.subtitle), body, facts.join('\n')]
      .filter(Boolean)
      .join('\n\n')
    const files = { filesRead: listIn(row.files_read), filesModified: listIn(row.files_modified) }
    yield {
      key: `observation ${session} ${row.id}`,
      content,
      what: `observation of type ${kind}`,
      type: claudeMemTypes[kind] ?? typeOfText(content),
      project: textIn(row.project) || undefined,
      tags: [kind, ...listIn(row.concepts)],
      createdAt: row.created_at_epoch ?? row.created_at,
      sessionId: session,
      ...((files.filesRead.length > 0 || files.filesModified.length > 0) && { structured: files }),
    }
  }
  yield* claudeMemSummaries(database)
  let prompts = 0
  if (database.hasTable('user_prompts')) for (const _row of database.rows('user_prompts', ['id'])) prompts++
  if (prompts > 0) yield { leftOut: 'prompt (memory import transcripts reads them)', count: prompts }
}

function* claudeMemSummaries(database: ForeignDatabase): Generator<FoundItem> {
  if (!database.hasTable('session_summaries')) return
  const columns = [
    'id',
    'memory_session_id',
    'project',
    ...summaryParts,
    'created_at_epoch',
    'created_at',
  ] as const
  for (const row of database.rows('session_summaries', columns)) {
    const parts = summaryParts.flatMap(part => {
      const text = textIn(row[part])
      return text === '' ? [] : `${part.replaceAll('_', ' ')}: ${text}`
    })
    yield {
      key: `summary ${textIn(row.memory_session_id)} ${row.id}`,
      content: parts.join('\n\n'),
      what: 'summary of a session',
      type: 'semantic',
      importance: 0.4,
      project: textIn(row.project) || undefined,
      tags: ['session-summary'],
      createdAt: row.created_at_epoch ?? row.created_at,
      sessionId: textIn(row.memory_session_id),
    }
  }
}

const serviceTypes: readonly [RegExp, MemoryType][] = [
  [/^(?:decision|architecture|tool_choice|approach|configuration)$/u, 'decision'],
  [/^(?:learning|insight|best_practice|anti_pattern|gotcha|pattern|research)$/u, 'learning'],
  [/^(?:error|bug|failure|exception|timeout|mistake|recurring_issue|issue|risk)$/u, 'issue'],
  [/^(?:preference|preference_signal|user_correction)$/u, 'preference'],
  [/^(?:workflow|procedure)$/u, 'procedural'],
]

/** The SQLite storage of mcp-memory-service. */
export async function* mcpMemoryService(place: string): AsyncGenerator<FoundFile> {
  yield await databaseFile(await fileAt(place, ['sqlite_vec.db']), 'memories', serviceRows)
}

const serviceColumns = [
  'content_hash',
  'content',
  'tags',
  'memory_type',
  'metadata',
  'created_at',
  'created_at_iso',
  'updated_at',
  'updated_at_iso',
  'deleted_at',
  'superseded_by',
  'confidence',
] as const

function* serviceRows(database: ForeignDatabase): Generator<FoundItem> {
  for (const row of database.rows('memories', serviceColumns)) {
    if (row.deleted_at !== null) yield { leftOut: 'deleted there' }
    else if (textIn(row.superseded_by) !== '') yield { leftOut: 'replaced there' }
    else {
      const content = untrimmed(row.content)
      const kind = textIn(row.memory_type).toLowerCase()
      const metadata = jsonOf(textIn(row.metadata))
      yield {
        key: textIn(row.content_hash) || keyByText(content),
        content,
        what: kind === '' ? 'memory' : `memory of type ${kind}`,
        type: serviceTypes.find(([words]) => words.test(kind))?.[1] ?? typeOfText(content),
        tags: [...textIn(row.tags).split(','), kind],
        confidence: typeof row.confidence === 'number' ? row.confidence : undefined,
        createdAt: row.created_at ?? row.created_at_iso,
        updatedAt: row.updated_at ?? row.updated_at_iso,
        ...(isRecord(metadata) && Object.keys(metadata).length > 0 && { structured: metadata }),
      }
    }
  }
}

/** A palace of MemPalace: its drawers, and the facts of its knowledge graph. */
export async function* memPalace(place: string): AsyncGenerator<FoundFile> {
  const names = [
    ...['chroma.sqlite3', 'sqlite_exact.sqlite3'].flatMap(name => [name, join('palace', name)]),
    'knowledge_graph.sqlite3',
  ]
  const path = await fileAt(place, names)
  const graphs = [place, join(dirname(path), '..')].map(folder => join(folder, 'knowledge_graph.sqlite3'))
  for (const file of new Set([path, ...(path === place ? [] : graphs)])) {
    if (!(await stat(file).catch(() => undefined))?.isFile()) continue
    if (file.endsWith('knowledge_graph.sqlite3')) yield await databaseFile(file, 'triples', palaceFacts)
    else if (file.endsWith('sqlite_exact.sqlite3')) yield await databaseFile(file, 'documents', exactDrawers)
    else yield await databaseFile(file, 'embedding_metadata', chromaDrawers)
  }
}

interface Drawer {
  id: string
  text: string
  fields: Readonly<Record<string, unknown>>
}

function* exactDrawers(database: ForeignDatabase): Generator<FoundItem> {
  const drawers = function* (): Generator<Drawer> {
    for (const row of database.rows('documents', ['id', 'document', 'metadata_json'] as const)) {
      const fields = jsonOf(textIn(row.metadata_json))
      yield { id: textIn(row.id), text: untrimmed(row.document), fields: isRecord(fields) ? fields : {} }
    }
  }
  yield* memoriesOf(drawers())
}

/** Chroma keeps a document as one of its fields, one row for each. */
function* chromaDrawers(database: ForeignDatabase): Generator<FoundItem> {
  const ids = new Map<unknown, string>()
  for (const row of database.rows('embeddings', ['id', 'embedding_id'] as const))
    ids.set(row.id, textIn(row.embedding_id))
  const drawers = function* (): Generator<Drawer> {
    let current: { id: unknown; fields: Record<string, unknown> } | undefined
    const taken = ({ id, fields }: { id: unknown; fields: Record<string, unknown> }): Drawer => ({
      id: ids.get(id) ?? String(id),
      text: untrimmed(fields['chroma:document']),
      fields,
    })
    const columns = ['id', 'key', 'string_value', 'int_value', 'float_value'] as const
    for (const row of database.rows('embedding_metadata', columns, 'id')) {
      if (current && current.id !== row.id) yield taken(current)
      if (current?.id !== row.id)
        current = { id: row.id, fields: Object.create(null) as Record<string, unknown> }
      current.fields[textIn(row.key)] = row.string_value ?? row.int_value ?? row.float_value
    }
    if (current) yield taken(current)
  }
  yield* memoriesOf(drawers())
}

/** The chunks of a long drawer are one memory again; chunks of files that were mined stay apart. */
function* memoriesOf(drawers: Iterable<Drawer>): Generator<FoundItem> {
  const long = new Map<string, Drawer[]>()
  for (const drawer of drawers) {
    const parent = textIn(drawer.fields.parent_drawer_id)
    if (parent !== '') long.set(parent, [...(long.get(parent) ?? []), drawer])
    else if (drawer.text === '' && Object.keys(drawer.fields).length === 0) yield { leftOut: 'empty' }
    else yield drawerMemory(drawer)
  }
  for (const [id, chunks] of long) {
    const numberOf = ({ fields }: Drawer) => Number(fields.chunk_index ?? 0)
    const [first, ...others] = chunks.sort((a, b) => numberOf(a) - numberOf(b)) as [Drawer, ...Drawer[]]
    yield drawerMemory({ ...first, id, text: [first, ...others].map(({ text }) => text).join('') })
  }
}

function drawerMemory({ id, text, fields }: Drawer): FoundMemory {
  const source = textIn(fields.source_file)
  return {
    key: id,
    content: text,
    what: source === '' ? 'drawer' : 'chunk of a mined file',
    type: source === '' ? typeOfText(text) : 'semantic',
    importance: source === '' ? 0.6 : 0.3,
    project: textIn(fields.wing) || undefined,
    tags: [textIn(fields.room), textIn(fields.hall)],
    createdAt: fields.filed_at,
    updatedAt: fields.last_modified,
    ...(source !== '' && { structured: { sourceFile: source, chunk: fields.chunk_index } }),
  }
}

const tripleColumns = [
  'id',
  'subject',
  'predicate',
  'object',
  'valid_from',
  'valid_to',
  'confidence',
  'extracted_at',
] as const

function* palaceFacts(database: ForeignDatabase): Generator<FoundItem> {
  const names = new Map<unknown, string>()
  if (database.hasTable('entities'))
    for (const row of database.rows('entities', ['id', 'name'] as const)) names.set(row.id, textIn(row.name))
  const nameOf = (id: unknown): string => names.get(id) ?? textIn(id)
  for (const row of database.rows('triples', tripleColumns)) {
    const content = `${nameOf(row.subject)} ${textIn(row.predicate).replaceAll('_', ' ')} ${nameOf(row.object)}`
    yield {
      key: `triple ${row.id}`,
      content,
      what: 'fact of the graph',
      type: 'fact',
      confidence: typeof row.confidence === 'number' ? row.confidence : undefined,
      createdAt: row.extracted_at,
      validFrom: row.valid_from,
      validUntil: row.valid_to,
    }
  }
}
