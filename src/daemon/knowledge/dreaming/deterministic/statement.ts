import type { NewOperation } from '../../../../contract/knowledge/ontology-operations.js'
import { nameWords } from '../../../ground/entities/name-key.js'
import type { EvidenceText, ExtractedOperation } from '../reader.js'
import type { ReadingContext, Subject } from './subject.js'
import type { Validity } from './validity.js'

/** The result of one template for one sentence. */
export type Statement =
  /** The memory only mentions the entity. */
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

interface StatementContext {
  piece: EvidenceText
  quote: string
  validity: Validity
  /** Name of the template. */
  by: string
  /** Facts from a text of many lines are only proposed. */
  isStory?: boolean
}

const sure = 0.85
const unsure = 0.6
const reason = 'stated in the text'

/**
 * Converts a statement to operations in order, entities before facts about them. Unsure statements create no
 * entity: they carry the entity's type, and applying them creates it.
 */
export function operationsOf(statement: Statement, where: StatementContext): ExtractedOperation[] {
  const { piece, quote, validity, by, isStory = false } = where
  const evidence = [{ sourceKind: piece.sourceKind, sourceId: piece.sourceId, quote }]
  const isSure = !isStory && !(statement.kind === 'claim' && statement.isSure === false)
  const found = (operation: Pick<NewOperation, 'operation' | 'payload'>): ExtractedOperation => {
    const confidence = isSure ? sure : unsure
    return { operation: { ...operation, reason, confidence, evidence } as NewOperation, isSure, by }
  }
  const entities = (...subjects: readonly Subject[]): ExtractedOperation[] =>
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

/** Names a slot with the first words of a phrase. */
export function slotOf(phrase: string): string {
  return nameWords(phrase).slice(0, slotWords).join(' ')
}

/** One form of statement, tested on its own. */
export interface Template {
  /** The name in the statistics of passes. */
  name: string
  /**
   * @param sentence without its time of validity
   * @returns its statements; empty if the sentence has another form
   */
  read(sentence: string, setting: ReadingContext, isLine: boolean): readonly Statement[]
}
