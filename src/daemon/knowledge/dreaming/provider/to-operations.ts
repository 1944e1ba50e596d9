import type { Finding } from '../../../../contract/knowledge/dreaming.js'
import type { Evidence, NewOperation } from '../../../../contract/knowledge/ontology-operations.js'
import { oneLine } from '../../../../lib/text/one-line.js'
import { nameKey, nameWords } from '../../../ground/entities/name-key.js'
import type { EvidenceText, ExtractedOperation, KnownName } from '../reader.js'

/** Findings from this confidence on are applied; models are overconfident. */
const sureFrom = 0.8
const highest = 0.9

interface FindingContext {
  excerpts: readonly Excerpt[]
  known: readonly KnownName[]
  /** Provider and model, as named in reasons. */
  reader: string
}

/** A part of a text that is read at once. */
export interface Excerpt {
  piece: EvidenceText
  text: string
}

/** Characters per question: with the answer they fit into the 4,096 tokens of small local models. */
const batchCharacters = 6000
const maxExcerpts = 20
/** Parts read of one text; of very long texts only the beginning is read. */
const partsOfPiece = 4

/**
 * Converts a model's findings to operations. Quotes are verified when an operation is performed. Here a
 * finding whose words are not in its quote becomes a proposal, whatever confidence the model gives. Findings
 * about unknown texts are dropped.
 */
export function toOperations(
  findings: readonly (Finding | null)[],
  given: FindingContext,
): ExtractedOperation[] {
  const names = new Set(
    given.known.filter(isEntity).flatMap(({ name, aliases }) => [name, ...aliases].map(nameKey)),
  )
  return findings.flatMap(finding => {
    const piece = finding && given.excerpts[finding.text - 1]?.piece
    if (!finding || !piece) return []
    const { sourceKind, sourceId } = piece
    const evidence = [{ sourceKind, sourceId, quote: finding.quote }]
    const operations = operationsOf(finding, { ...given, names, evidence })
    return operations
  })
}

interface OperationContext extends FindingContext {
  /** Name keys of known entities, and of those named by an earlier finding. */
  names: Set<string>
  evidence: Evidence[]
}

function isEntity({ entityId }: KnownName): boolean {
  return entityId !== undefined
}

function operationsOf(finding: Finding, known: OperationContext): ExtractedOperation[] {
  switch (finding.operation) {
    case 'create_entity': {
      const { name, type } = finding
      const one = found(finding, known, { operation: 'create_entity', payload: { name, type } }, [name])
      if (one.isSure) known.names.add(nameKey(name))
      return [one]
    }
    case 'add_alias': {
      const { entity, alias } = finding
      const payload = { entity, entityType: typeOf(entity, finding), alias }
      return withEntities(finding, known, [entity], { operation: 'add_alias', payload }, [alias, entity])
    }
    case 'assert_claim': {
      const { entity, aspect, claim, value, validFrom, validUntil } = finding
      const slot = { entity, entityType: typeOf(entity, finding), aspect, claim }
      const payload = { ...slot, value, validFrom: instant(validFrom), validUntil: instant(validUntil) }
      return withEntities(finding, known, [entity], { operation: 'assert_claim', payload }, [entity, value])
    }
    case 'link': {
      const { from, relation, to } = finding
      const ends = { from, fromType: typeOf(from, finding), relation, to, toType: typeOf(to, finding) }
      return withEntities(finding, known, [from, to], { operation: 'link', payload: ends }, [from, to])
    }
    case 'supersede_memory':
      return supersedingProposal(finding, known)
  }
}

/** Returns the type for a new entity if the quote names it; other entities must already exist. */
function typeOf(name: string, { quote }: Finding): string | undefined {
  return isSaid(name, quote) ? 'concept' : undefined
}

/** For memories only, and always as a proposal, because a wrong answer would hide a correct memory. */
function supersedingProposal(
  finding: Extract<Finding, { operation: 'supersede_memory' }>,
  known: OperationContext,
): ExtractedOperation[] {
  const newer = known.excerpts[finding.text - 1]?.piece
  const older = known.excerpts[finding.olderText - 1]?.piece
  if (newer?.sourceKind !== 'memory' || older?.sourceKind !== 'memory') return []
  if (newer.sourceId === older.sourceId || newer.at < older.at) return []
  const payload = { memory: older.sourceId, supersededBy: newer.sourceId }
  const one = found(finding, known, { operation: 'supersede_memory', payload }, [])
  return [{ ...one, isSure: false }]
}

/**
 * Returns a finding, preceded by the creation of the entities it needs. An unsure one creates none until it
 * is applied.
 */
function withEntities(
  finding: Finding,
  known: OperationContext,
  names: readonly string[],
  bare: OperationPayload,
  said: readonly string[],
): ExtractedOperation[] {
  const one = found(finding, known, bare, said)
  const unknown = one.isSure ? names.filter(name => !known.names.has(nameKey(name))) : []
  const entities = unknown.map(name =>
    found(finding, known, { operation: 'create_entity', payload: { name, type: 'concept' } }, [name]),
  )
  for (const name of unknown) known.names.add(nameKey(name))
  return [...entities, one]
}

type OperationPayload = NewOperation extends infer Each
  ? Each extends NewOperation
    ? Pick<Each, 'operation' | 'payload'>
    : never
  : never

/** @param said words that the quote must contain, except names of known entities */
function found(
  finding: Finding,
  { names, evidence, reader }: OperationContext,
  bare: OperationPayload,
  said: readonly string[],
): ExtractedOperation {
  const confidence = Math.min(finding.confidence, highest)
  const isGrounded = said.every(words => isSaid(words, finding.quote) || names.has(nameKey(words)))
  const reason = `${reader} read it: ${oneLine(finding.reasoning, 300) || 'no reason given'}`
  return {
    operation: { ...bare, reason, confidence, evidence } as NewOperation,
    isSure: isGrounded && finding.confidence >= sureFrom,
    by: `model.${bare.operation}`,
  }
}

/** True if all words of a text occur in a quote, ignoring case. */
function isSaid(text: string, quote: string): boolean {
  const words = new Set(nameWords(quote))
  const wanted = nameWords(text)
  return wanted.length > 0 && wanted.every(word => words.has(word))
}

function instant(day: string | null): string | null {
  return day === null ? null : `${day}T00:00:00.000Z`
}

/** Groups texts for questions: short ones together, long ones in parts, in order. */
export function batchesOf(pieces: readonly EvidenceText[]): Excerpt[][] {
  const batches: Excerpt[][] = []
  let size = 0
  for (const excerpt of pieces.flatMap(excerptsOf)) {
    const last = batches.at(-1)
    if (last && last.length < maxExcerpts && size + excerpt.text.length <= batchCharacters) {
      last.push(excerpt)
      size += excerpt.text.length
    } else {
      batches.push([excerpt])
      size = excerpt.text.length
    }
  }
  return batches
}

function excerptsOf(piece: EvidenceText): Excerpt[] {
  const excerpts: Excerpt[] = []
  let from = 0
  while (from < piece.text.length && excerpts.length < partsOfPiece) {
    const to = endOf(piece.text, from)
    excerpts.push({ piece, text: piece.text.slice(from, to) })
    from = to
  }
  return excerpts
}

/** Ends a part at white space in its last third if possible, and never inside a character. */
function endOf(text: string, from: number): number {
  const furthest = from + batchCharacters
  if (furthest >= text.length) return text.length
  const tail = text.slice(from + Math.floor((batchCharacters * 2) / 3), furthest)
  const blank = tail.search(/\s\S*$/u)
  if (blank >= 0) return furthest - tail.length + blank + 1
  const code = text.charCodeAt(furthest)
  return code >= 0xdc00 && code <= 0xdfff ? furthest - 1 : furthest
}
