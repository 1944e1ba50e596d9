import {
  type NewOperation,
  type Operation,
  operation as parseOperation,
} from '../../../../contract/knowledge/ontology-operations.js'
import type { ImportExtraction } from '../../../../contract/knowledge/sources/source-import.js'
import { ownCaller } from '../../../ground/visibility/caller.js'
import { operationsOf } from '../../dreaming/deterministic/fact-operations.js'
import { manifestFacts } from '../../dreaming/deterministic/manifest-facts.js'
import { always, asSuccessor } from '../../dreaming/pass/successor.js'
import type { OntologyDeps, OperationResult } from '../../ontology/model/operation.js'
import { performOperations } from '../../ontology/perform-operation.js'

/** A statement of a file about itself, with its quote. */
export interface FileStatement {
  aspect: string
  claim: string
  value: string
  /** Literal text of the artifact. */
  quote: string
}

const maxStatements = 30
const maxValue = 300
/** Header lines such as `Author: Ada` must be within this many lines. */
const headLines = 30
/** Larger JSON is skipped, because parsing it would block the event loop. */
const maxJsonLength = 1024 * 1024

/**
 * Extracts the statements of a file about itself: its title, the `Name: value` lines at its beginning, the
 * plain members of JSON, the columns of a table. Anything doubtful is left to other readers.
 * @param kind the kind of its artifact
 */
export function statementsOf(file: { kind: string; title: string | null; text: string }): FileStatement[] {
  const members = membersOf(file)
  // A member named "title" takes precedence over a title derived from a heading.
  const title = members.some(({ claim }) => claim === 'title') ? [] : titleOf(file)
  const told = new Map<string, FileStatement>()
  for (const statement of [...title, ...members]) {
    const slot = `${statement.aspect}\n${statement.claim}`
    if (!told.has(slot)) told.set(slot, statement)
  }
  return [...told.values()].slice(0, maxStatements)
}

/** Returns words of an artifact to quote as evidence; undefined if it has none. */
export function wordsOf({ title, text }: { title: string | null; text: string }): string | undefined {
  if (title && text.includes(title)) return title
  return text.slice(0, 4000).trim().split('\n')[0]?.slice(0, maxValue) || undefined
}

function titleOf({ title, text }: { title: string | null; text: string }): FileStatement[] {
  if (!title || !text.includes(title)) return []
  return [{ aspect: 'about', claim: 'title', value: title, quote: title }]
}

function membersOf({ kind, text }: { kind: string; text: string }): FileStatement[] {
  if (kind === 'json') return jsonMembers(text)
  return kind === 'table' ? columns(text) : headerLines(text)
}

const headerLine = /^(?:[-*] )?\**(?<name>\p{L}[\p{L}\d _-]{1,40}?)\**:\** +(?<value>\S.*)$/u

function headerLines(text: string): FileStatement[] {
  const lines = text.slice(0, 16_384).split('\n').slice(0, headLines)
  return lines.flatMap(line => {
    const { name = '', value = '' } = headerLine.exec(line.trimEnd())?.groups ?? {}
    if (value === '' || value.length > maxValue) return []
    return [{ aspect: 'about', claim: name.trim().toLowerCase(), value, quote: line.trim() }]
  })
}

/** Uses only members that occur in the text exactly as JSON writes them, because that text is the quote. */
function jsonMembers(text: string): FileStatement[] {
  if (text.length > maxJsonLength) return []
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const isPlain = ['string', 'number', 'boolean'].includes(typeof member)
    const told = String(member).trim()
    if (!isPlain || name.trim() === '' || told === '' || told.length > maxValue) return []
    const quote = [': ', ':']
      .map(between => `${JSON.stringify(name)}${between}${JSON.stringify(member)}`)
      .find(one => isWholeMember(text, one))
    return quote ? [{ aspect: 'about', claim: name.slice(0, 255), value: told, quote }] : []
  })
}

/** Excludes matches that are the beginning of a longer number. */
function isWholeMember(text: string, quote: string): boolean {
  const at = text.indexOf(quote)
  return at >= 0 && /^[\s,}]/u.test(text.slice(at + quote.length, at + quote.length + 1))
}

function columns(table: string): FileStatement[] {
  const header = table.slice(0, table.indexOf('\n')).slice(0, 4000)
  const names = header.split(/(?<!\\)\|/u).slice(1, -1)
  return names.flatMap((cell, place) => {
    const name = cell.trim().slice(0, 255)
    if (name === '') return []
    return [
      {
        aspect: 'columns',
        claim: name,
        value: `column ${place + 1} of ${names.length}`,
        quote: header.trim(),
      },
    ]
  })
}

/** An imported artifact from which facts are extracted. */
export interface FileToExtract {
  artifactId: string
  agentId: string
  fileName: string
  /** The path, or the file name of an upload. */
  root: string
  sha256: string
  kind: string
  title: string | null
  text: string
  /** The result for an earlier import of the same bytes. */
  before: ImportExtraction
}

/** Confidence of facts that rules extract from the file's literal text. */
const confidence = 0.9
const reason = 'stated in an imported file'

/**
 * Makes an entity of a file, and facts from its own statements (sources.md#what-a-file-says-of-itself).
 * @returns the totals so far; unsafe or unquotable statements are left out
 */
export async function extractFromImport(deps: OntologyDeps, file: FileToExtract): Promise<ImportExtraction> {
  const { agentId, fileName, before, sha256 } = file
  const words = wordsOf(file)
  if (words === undefined) return before
  const perform = (operations: readonly Operation[]): Promise<OperationResult[]> =>
    performOperations(deps, ownCaller(deps, 'source-import'), { agentId, operations, mode: 'apply' })
  const evidenceOf = (quote: string) => ({
    reason,
    confidence,
    evidence: [{ sourceKind: 'artifact' as const, sourceId: file.artifactId, quote }],
  })
  const entity = async (name: string): Promise<OperationResult | undefined> => {
    const operation = 'create_entity' as const
    return (await perform([{ operation, payload: { name, type: 'document' }, ...evidenceOf(words) }]))[0]
  }
  const named = await entity(fileName.slice(0, 240))
  // The name already belongs to another entity.
  const isOwn = named?.status !== 'deduplicated' || named.id === before.documentEntityId
  const drawn = isOwn ? named : await entity(`${fileName.slice(0, 240)} (${sha256.slice(0, 8)})`)
  if (drawn?.id === undefined) return before
  const claims = statementsOf(file).map(({ aspect, claim, value, quote }): NewOperation & Operation => {
    const slot = { entity: drawn.id ?? '', aspect, group: 'general', claim, kind: 'attribute' as const }
    return { operation: 'assert_claim', payload: { ...slot, value }, ...evidenceOf(quote) }
  })
  const made = (await perform(claims)).flatMap(one => one.made)
  await perform(await manifestOperations(deps, file))
  const isKnown = drawn.id === before.documentEntityId
  const count = (what: OperationResult['made'][number]): number => made.filter(one => one === what).length
  return {
    documentEntityId: drawn.id,
    aspectsCreated: count('aspect') + (isKnown ? before.aspectsCreated : 0),
    attributesCreated: count('claim') + (isKnown ? before.attributesCreated : 0),
  }
}

/** Reads the manifest of a project; a value that changed with the file replaces the one before. */
async function manifestOperations(deps: OntologyDeps, file: FileToExtract): Promise<Operation[]> {
  const { agentId, artifactId: sourceId, text } = file
  const piece = { sourceKind: 'artifact' as const, sourceId, text, ...noOrigin }
  const extracted = manifestFacts(file).flatMap(fact =>
    operationsOf(fact, { piece, project: null, isStory: false, known: new Map() }),
  )
  const now = { saidAt: always, project: null }
  const operations: Operation[] = []
  for (const { operation } of extracted)
    operations.push(await asSuccessor(deps, agentId, parseOperation.parse(operation), now))
  return operations
}

const noOrigin = { speaker: null, at: '', project: null, sessionKey: null }
