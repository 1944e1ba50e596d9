import type { NewOperation } from '../../../../contract/knowledge/ontology-operations.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import type { Fact, NamedThing } from '../../../ground/reading/reading.js'
import type { EvidenceText, ExtractedOperation, KnownName } from '../reader.js'

const sure = 0.85
const unsure = 0.6
/** Reasons of operations that rules extract, by which their facts are found again. */
export const ruleReasons = { text: 'stated in the text', manifest: 'stated in a manifest' } as const

/** Aspects that hold rules rather than properties. */
const constraints = new Set(['rules'])

/**
 * Converts a fact to operations in order, entities before facts about them. Unsure facts create no entity:
 * they carry the entity's type, and applying them creates it.
 * @param isStory facts from a text of many lines are only proposed
 */
export function operationsOf(
  fact: Fact,
  {
    piece,
    project,
    isStory,
    known,
  }: {
    piece: EvidenceText
    project: string | null
    isStory: boolean
    known: ReadonlyMap<string, KnownName>
  },
): ExtractedOperation[] {
  const { subject, object, since, until, by } = fact
  const evidence = [{ sourceKind: piece.sourceKind, sourceId: piece.sourceId, quote: fact.quote }]
  const reason = ruleReasons[by === 'manifest' ? by : 'text']
  // The subject and the trailers of a commit are certain, however long its body is.
  const isSure = fact.isSure && (!isStory || by === 'commit')
  const found = (operation: Pick<NewOperation, 'operation' | 'payload'>): ExtractedOperation => ({
    operation: { ...operation, reason, confidence: isSure ? sure : unsure, evidence } as NewOperation,
    isSure,
    by,
    saidAt: piece.at,
  })
  const entities = (...things: readonly NamedThing[]): ExtractedOperation[] =>
    isSure
      ? things.map(({ name, type }) => found({ operation: 'create_entity', payload: { name, type } }))
      : []
  const validity = { ...(since && { validFrom: since }), ...(until && { validUntil: until }) }
  if (fact.kind === 'alias') {
    const payload = { entity: subject.name, entityType: subject.type, alias: fact.value }
    return [...entities(subject), found({ operation: 'add_alias', payload })]
  }
  if (fact.kind === 'link' && object) {
    const replaced = fact.attribute === 'replaced by' ? replacedSlot(fact, project, known) : undefined
    const replacement = { value: object.name, ...validity }
    return [
      ...entities(subject, object),
      found({ operation: 'link', payload: { ...endsOf(fact, object), ...validity } }),
      ...(replaced
        ? [found({ operation: 'supersede_claim', payload: { version: replaced, ...replacement } })]
        : []),
    ]
  }
  const kind = constraints.has(fact.aspect) ? ('constraint' as const) : ('attribute' as const)
  const claim = fact.aspect === 'preferences' ? preferenceSlot(fact, known) : fact.attribute
  const payload = {
    entity: subject.name,
    entityType: subject.type,
    aspect: fact.aspect,
    claim,
    kind,
    value: fact.value,
    ...validity,
  }
  return [...entities(subject), found({ operation: 'assert_claim', payload })]
}

function endsOf({ subject, attribute }: Fact, object: NamedThing) {
  const from = { from: subject.name, fromType: subject.type }
  return { ...from, relation: attribute, to: object.name, toType: object.type }
}

/** The version of the only slot of the project whose tool was replaced. */
function replacedSlot(
  { subject }: Fact,
  project: string | null,
  known: ReadonlyMap<string, KnownName>,
): string | undefined {
  const claims = known.get(nameKey(project ?? ''))?.claims ?? []
  const slots = claims.filter(
    ({ aspect, value }) => aspect === 'tools' && nameKey(value) === nameKey(subject.name),
  )
  return slots.length === 1 ? slots[0]?.version : undefined
}

/** `X over Y` and `Y over X` share one slot, so that the opposite preference is recognised. */
function preferenceSlot({ subject, attribute }: Fact, known: ReadonlyMap<string, KnownName>): string {
  const pairOf = (title: string): string | undefined => {
    const [one, other] = title.split(/ (?:over|to|rather than|instead of) /u)
    return one && other ? [nameKey(one), nameKey(other)].sort().join('|') : undefined
  }
  const pair = pairOf(attribute)
  const held = known.get(nameKey(subject.name))?.claims ?? []
  return (
    held.find(({ aspect, claim }) => pair !== undefined && aspect === 'preferences' && pairOf(claim) === pair)
      ?.claim ?? attribute
  )
}
