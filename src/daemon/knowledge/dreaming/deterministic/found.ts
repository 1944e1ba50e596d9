import type { NewOperation } from '../../../../contract/knowledge/ontology-operations.js'
import { nameWords } from '../../../ground/entities/name-key.js'
import type { EvidencePiece, FoundOperation } from '../reader.js'
import type { Setting, Subject } from './subject.js'
import type { Validity } from './validity.js'

/** What one template says of one sentence. */
export type Statement =
  /** The memory speaks of it, and says nothing more. */
  | { kind: 'mention'; subject: Subject }
  | {
      kind: 'claim'
      subject: Subject
      aspect: string
      claim: string
      value: string
      isConstraint?: boolean
      isSure?: boolean
    }
  | { kind: 'link'; from: Subject; relation: string; to: Subject }
  | { kind: 'alias'; subject: Subject; alias: string }
  | { kind: 'change'; version: string; value: string }

interface Where {
  piece: EvidencePiece
  quote: string
  validity: Validity
  /** The template. */
  by: string
  /** What a text of many lines says is proposed. */
  isStory?: boolean
}

const sure = 0.85
const unsure = 0.6
const reason = 'said so'

/**
 * The operations that a statement is, in their order: entities before what is said of them. What is unsure makes no
 * entity: it tells what it is about, and whoever applies it makes that too.
 */
export function operationsOf(statement: Statement, where: Where): FoundOperation[] {
  const { piece, quote, validity, by, isStory = false } = where
  const evidence = [{ sourceKind: piece.sourceKind, sourceId: piece.sourceId, quote }]
  const isSure = !isStory && !(statement.kind === 'claim' && statement.isSure === false)
  const found = (operation: Pick<NewOperation, 'operation' | 'payload'>): FoundOperation => {
    const confidence = isSure ? sure : unsure
    return { operation: { ...operation, reason, confidence, evidence } as NewOperation, isSure, by }
  }
  const entities = (...subjects: readonly Subject[]): FoundOperation[] =>
    isSure
      ? subjects.map(({ name, type }) => found({ operation: 'create_entity', payload: { name, type } }))
      : []
  switch (statement.kind) {
    case 'mention': {
      const { name, type } = statement.subject
      return [found({ operation: 'create_entity', payload: { name, type } })]
    }
    case 'claim': {
      const { subject, aspect, claim, value, isConstraint } = statement
      const kind = isConstraint ? ('constraint' as const) : ('attribute' as const)
      const of = { entity: subject.name, entityType: subject.type }
      const payload = { ...of, aspect, claim, kind, value, ...validity }
      return [...entities(subject), found({ operation: 'assert_claim', payload })]
    }
    case 'link': {
      const { from, relation, to } = statement
      const ends = { from: from.name, fromType: from.type, relation, to: to.name, toType: to.type }
      return [...entities(from, to), found({ operation: 'link', payload: { ...ends, ...validity } })]
    }
    case 'alias': {
      const { subject, alias } = statement
      const payload = { entity: subject.name, entityType: subject.type, alias }
      return [...entities(subject), found({ operation: 'add_alias', payload })]
    }
    case 'change': {
      const { version, value } = statement
      return [found({ operation: 'supersede_claim', payload: { version, value, ...validity } })]
    }
  }
}

const slotWords = 8

/** The name of a slot that is told by a phrase: its first words. */
export function slotOf(phrase: string): string {
  return nameWords(phrase).slice(0, slotWords).join(' ')
}

/** One form of statement that is understood, tested by itself. */
export interface Template {
  /** As the figures of passes name it. */
  name: string
  /** @param sentence without its time of validity. @returns what it says, nothing where it is not of this form */
  read(sentence: string, setting: Setting, isLine: boolean): readonly Statement[]
}
