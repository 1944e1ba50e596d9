import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { maxLineBytes, readLines } from '../../../../lib/files/lines.js'
import { openForeign, readForeignText } from '../../../../lib/files/open-foreign.js'
import { isRecord, jsonOf } from '../../../../lib/text/json-of.js'
import { withoutPrivate } from '../../../ground/text/private-spans.js'
import { elementRecords } from '../../../knowledge/transcript-import/forms/elements.js'
import { mem0Database } from './database-programs.js'
import {
  type FoundFile,
  type FoundItem,
  type FoundMemory,
  keyByText,
  textIn,
  textsOf,
  timeOf,
  typeOfText,
} from './found-memory.js'
import { namesIn } from './markdown-notes.js'

type Fields = Readonly<Record<string, unknown>>

/** Yields the pieces of a file, which is open until its end. */
async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  const handle = await openForeign(path, { followLinks: true })
  try {
    for (;;) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(256 * 1024))
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

/** Yields the elements of a JSON list, or the one document of a file. */
async function* elementsOf(path: string): AsyncGenerator<unknown> {
  for await (const record of elementRecords(bytesOf(path), { bytes: 0, number: 0 }))
    yield 'bytes' in record && record.bytes ? jsonOf(record.bytes.toString('utf8')) : undefined
}

/** The file of `@modelcontextprotocol/server-memory`: lines with entities and relations. */
export async function* memoryJson(place: string): AsyncGenerator<FoundFile> {
  const isFolder = (await stat(place)).isDirectory()
  const names = isFolder ? (await namesIn(place)).filter(name => /^memory\.jsonl?$/u.test(name)) : []
  for (const path of isFolder ? names.map(name => join(place, name)) : [place])
    yield { path, changedAt: (await stat(path)).mtime, found: graphLines(path) }
}

async function* graphLines(path: string): AsyncGenerator<FoundItem> {
  for await (const { text } of readLines(bytesOf(path), maxLineBytes)) {
    const line = jsonOf(text)
    if (!isRecord(line)) yield { leftOut: 'line that is not JSON' }
    else if (Array.isArray(line.entities)) {
      for (const one of [...line.entities, ...(Array.isArray(line.relations) ? line.relations : [])])
        yield* graphMemories(isRecord(one) ? { type: 'from' in one ? 'relation' : 'entity', ...one } : {})
    } else yield* graphMemories(line)
  }
}

function* graphMemories(line: Fields): Generator<FoundItem> {
  const wordsOf = (value: unknown) => textIn(value).replaceAll('_', ' ')
  if (line.type === 'relation') {
    const content = `${wordsOf(line.from)} ${wordsOf(line.relationType)} ${wordsOf(line.to)}`
    const key = JSON.stringify(['relation', line.from, line.relationType, line.to])
    yield { key, content, what: 'relation', type: 'fact', tags: [] }
    return
  }
  if (line.type !== 'entity') return yield { leftOut: 'line of another kind' }
  const observations = textsOf(line.observations)
  if (observations.length === 0) yield { leftOut: 'entity without observations' }
  for (const observation of observations) {
    const text = withoutPrivate(observation).trim()
    if (text === '') {
      yield { leftOut: 'private' }
      continue
    }
    yield {
      key: JSON.stringify(['observation', line.name, text]),
      content: `${wordsOf(line.name)}: ${text}`,
      what: 'observation',
      type: typeOfText(text),
      tags: [textIn(line.entityType)],
    }
  }
}

/** mem0: its database, or its memories as JSON (`get_all`, an export of the platform). */
export async function* mem0(place: string): AsyncGenerator<FoundFile> {
  if (!place.endsWith('.json')) return yield* mem0Database(place)
  yield { path: place, changedAt: (await stat(place)).mtime, found: mem0Json(place) }
}

async function* mem0Json(path: string): AsyncGenerator<FoundItem> {
  for await (const element of elementsOf(path)) {
    const list = isRecord(element) ? (element.results ?? element.memories ?? [element]) : []
    for (const one of Array.isArray(list) ? list : [])
      yield isRecord(one) ? mem0Memory(one) : { leftOut: 'other form' }
  }
}

function mem0Memory(one: Fields): FoundItem {
  const content = textIn(one.memory) || textIn(one.data) || textIn(one.text)
  if (content === '') return { leftOut: 'other form' }
  const names = ['user_id', 'agent_id', 'actor_id', 'role'].flatMap(name =>
    textIn(one[name]) === '' ? [] : [[name, textIn(one[name])] as const],
  )
  const metadata = isRecord(one.metadata) ? one.metadata : {}
  const structured = { ...Object.fromEntries(names), ...metadata }
  return {
    key: textIn(one.id) || keyByText(content),
    content,
    what: 'memory',
    type: typeOfText(content),
    tags: [...textsOf(one.categories), textIn(metadata.category)],
    createdAt: one.created_at,
    updatedAt: one.updated_at,
    sessionId: textIn(one.run_id),
    ...(Object.keys(structured).length > 0 && { structured }),
  }
}

const longestText = 16 * 1024 * 1024

/** Saved memories of ChatGPT: from its data export, or as a text with one memory a line. */
export async function* chatgptMemory(place: string): AsyncGenerator<FoundFile> {
  const isFolder = (await stat(place)).isDirectory()
  const names = isFolder
    ? (await namesIn(place)).filter(name => /^(?:conversations.*|memories)\.json$/u.test(name))
    : []
  const paths = isFolder ? names.map(name => join(place, name)) : [place]
  for (const path of paths) {
    const isJson = path.endsWith('.json')
    yield { path, changedAt: (await stat(path)).mtime, found: isJson ? chatgptJson(path) : savedLines(path) }
  }
}

async function* savedLines(path: string): AsyncGenerator<FoundItem> {
  const text = (await readForeignText(path, { maxBytes: longestText, followLinks: true })) ?? ''
  for (const line of text.split('\n')) if (line.trim() !== '') yield savedMemory(line)
}

/** The form of a line in the list of memories that ChatGPT gives its model: a number, a date, the text. */
const numbered = /^\s{0,10}(?:[-*•]|\d{1,5}\.)?\s{0,3}(?:\[(\d{4}-\d{2}-\d{2})\]\.?)?\s{0,3}(\S.*)$/u

function savedMemory(line: string, createdAt?: unknown): FoundMemory {
  const [, day, text = line] = numbered.exec(line) ?? []
  const content = text.trim()
  return {
    key: keyByText(content),
    content,
    what: 'saved memory',
    type: /\bprefers?\b|\blikes?\b|\bwants?\b/iu.test(content) ? 'preference' : typeOfText(content),
    createdAt: day ?? createdAt,
  }
}

/** Conversations tell what was saved: the newest list given to the model, and saves after it. */
async function* chatgptJson(path: string): AsyncGenerator<FoundItem> {
  let list = { at: '', text: '' }
  const saves: { at: string; text: string }[] = []
  let conversations = 0
  for await (const element of elementsOf(path)) {
    if (typeof element === 'string') yield savedMemory(element)
    else if (!isRecord(element)) yield { leftOut: 'other form' }
    else if (!isRecord(element.mapping)) yield* namedMemories(element)
    else {
      conversations++
      for (const node of Object.values(element.mapping)) {
        const message = isRecord(node) && isRecord(node.message) ? node.message : undefined
        const content = message && isRecord(message.content) ? message.content : undefined
        if (!message || !content) continue
        const at = timeOf(message.create_time ?? element.update_time ?? element.create_time) ?? ''
        const given = textIn(content.model_set_context)
        if (content.content_type === 'model_editable_context' && given !== '' && at >= list.at)
          list = { at, text: given }
        const parts = textsOf(content.parts).join('\n') || textIn(content.text)
        if (message.recipient === 'bio' && parts !== '') saves.push({ at, text: parts })
      }
    }
  }
  for (const line of list.text.split('\n'))
    if (numbered.test(line) && !line.startsWith('#')) yield savedMemory(line, list.at)
  for (const { at, text } of saves) if (at > list.at) yield savedMemory(text, at)
  if (conversations > 0)
    yield { leftOut: 'conversation (memory import transcripts reads it)', count: conversations }
}

function* namedMemories(element: Fields): Generator<FoundItem> {
  const list = element.memories ?? element.items ?? [element]
  for (const one of Array.isArray(list) ? list : []) {
    const text =
      typeof one === 'string' ? one : isRecord(one) ? textIn(one.memory ?? one.content ?? one.text) : ''
    const at = isRecord(one) ? (one.created_at ?? one.create_time ?? one.updated_at) : undefined
    yield text === '' ? { leftOut: 'other form' } : savedMemory(text, at)
  }
}
