import type { Finding } from '../../../../contract/knowledge/dream-reading.js'
import type { Evidence, NewOperation } from '../../../../contract/knowledge/ontology-operations.js'
import { oneLine } from '../../../../lib/text/one-line.js'
import { nameKey, nameWords } from '../../../ground/entities/name-key.js'
import type { FoundOperation, KnownName } from '../reader.js'
import type { Excerpt } from './text-batches.js'

/** From so much on a finding is applied; models are surer than they should be. */
const sureFrom = 0.8
const highest = 0.9

interface Given {
  excerpts: readonly Excerpt[]
  known: readonly KnownName[]
  /** Provider and model, as reasons name them. */
  reader: string
}

/**
 * What a model found, as operations. Their quotes are looked up when they are done; here it is judged whether quote and
 * finding go together: what has words that its quote does not have is proposed to a person, whatever the model thinks of
 * it. A finding about a text that was not given is none.
 */
export function toOperations(findings: readonly (Finding | null)[], given: Given): FoundOperation[] {
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

interface Known extends Given {
  /** Keys of entities that are known, or were named by an earlier finding. */
  names: Set<string>
  evidence: Evidence[]
}

function isEntity({ entityId }: KnownName): boolean {
  return entityId !== undefined
}

function operationsOf(finding: Finding, known: Known): FoundOperation[] {
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
      return about(finding, known, [entity], { operation: 'add_alias', payload }, [alias, entity])
    }
    case 'assert_claim': {
      const { entity, aspect, claim, value, validFrom, validUntil } = finding
      const slot = { entity, entityType: typeOf(entity, finding), aspect, claim }
      const payload = { ...slot, value, validFrom: instant(validFrom), validUntil: instant(validUntil) }
      return about(finding, known, [entity], { operation: 'assert_claim', payload }, [entity, value])
    }
    case 'link': {
      const { from, relation, to } = finding
      const ends = { from, fromType: typeOf(from, finding), relation, to, toType: typeOf(to, finding) }
      return about(finding, known, [from, to], { operation: 'link', payload: ends }, [from, to])
    }
    case 'supersede_memory':
      return superseding(finding, known)
  }
}

/** What an entity is that nobody named yet, where its quote names it; others are looked up alone. */
function typeOf(name: string, { quote }: Finding): string | undefined {
  return isSaid(name, quote) ? 'concept' : undefined
}

/** Of memories alone, and never without a person: a model that is wrong here hides what was right. */
function superseding(
  finding: Extract<Finding, { operation: 'supersede_memory' }>,
  known: Known,
): FoundOperation[] {
  const newer = known.excerpts[finding.text - 1]?.piece
  const older = known.excerpts[finding.olderText - 1]?.piece
  if (newer?.sourceKind !== 'memory' || older?.sourceKind !== 'memory') return []
  if (newer.sourceId === older.sourceId || newer.at < older.at) return []
  const payload = { memory: older.sourceId, supersededBy: newer.sourceId }
  const one = found(finding, known, { operation: 'supersede_memory', payload }, [])
  return [{ ...one, isSure: false }]
}

/** A finding, behind the entities that it needs and nobody named yet. What is unsure makes none before it is applied. */
function about(
  finding: Finding,
  known: Known,
  names: readonly string[],
  bare: Bare,
  said: readonly string[],
): FoundOperation[] {
  const one = found(finding, known, bare, said)
  const unknown = one.isSure ? names.filter(name => !known.names.has(nameKey(name))) : []
  const entities = unknown.map(name =>
    found(finding, known, { operation: 'create_entity', payload: { name, type: 'concept' } }, [name]),
  )
  for (const name of unknown) known.names.add(nameKey(name))
  return [...entities, one]
}

type Bare = NewOperation extends infer Each
  ? Each extends NewOperation
    ? Pick<Each, 'operation' | 'payload'>
    : never
  : never

/** @param said what the quote has to say, unless it is the name of an entity that is known */
function found(
  finding: Finding,
  { names, evidence, reader }: Known,
  bare: Bare,
  said: readonly string[],
): FoundOperation {
  const confidence = Math.min(finding.confidence, highest)
  const isGrounded = said.every(words => isSaid(words, finding.quote) || names.has(nameKey(words)))
  const reason = `${reader} read it: ${oneLine(finding.reasoning, 300) || 'no reason given'}`
  return {
    operation: { ...bare, reason, confidence, evidence } as NewOperation,
    isSure: isGrounded && finding.confidence >= sureFrom,
    by: `model.${bare.operation}`,
  }
}

/** Whether all words of a text stand in a quote, whatever their case. */
function isSaid(text: string, quote: string): boolean {
  const words = new Set(nameWords(quote))
  const wanted = nameWords(text)
  return wanted.length > 0 && wanted.every(word => words.has(word))
}

function instant(day: string | null): string | null {
  return day === null ? null : `${day}T00:00:00.000Z`
}
