import type { NewOperation } from '../../../../contract/knowledge/ontology-operations.js'
import { nameWords } from '../../../ground/entities/name-key.js'
import type { EvidencePiece, FoundOperation } from '../reader.js'
import type { Subject } from './subject.js'
import type { Validity } from './validity.js'

/** What one template says of one sentence. */
export type Statement =
  | { kind: 'entity'; subject: Subject }
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

/** The operations that a statement is, in their order: entities before what is said of them. */
export function operationsOf(statement: Statement, where: Where): FoundOperation[] {
  const { piece, quote, validity, by, isStory = false } = where
  const evidence = [{ sourceKind: piece.sourceKind, sourceId: piece.sourceId, quote }]
  const found = (
    operation: Pick<NewOperation, 'operation' | 'payload'>,
    isCertain = true,
  ): FoundOperation => {
    const isSure = isCertain && !isStory
    const confidence = isSure ? sure : unsure
    return { operation: { ...operation, reason, confidence, evidence } as NewOperation, isSure, by }
  }
  // What is named is there, however unsure what is said of it; a proposal about nothing would be refused.
  const entity = ({ name, type }: Subject): FoundOperation => {
    const operation = { operation: 'create_entity' as const, payload: { name, type } }
    return { operation: { ...operation, reason, confidence: sure, evidence }, isSure: true, by }
  }
  switch (statement.kind) {
    case 'entity':
      return [entity(statement.subject)]
    case 'claim': {
      const { subject, aspect, claim, value, isConstraint, isSure } = statement
      const kind = isConstraint ? ('constraint' as const) : ('attribute' as const)
      const payload = { entity: subject.name, aspect, claim, kind, value, ...validity }
      return [entity(subject), found({ operation: 'assert_claim', payload }, isSure)]
    }
    case 'link': {
      const { from, relation, to } = statement
      const payload = { from: from.name, relation, to: to.name, ...validity }
      return [entity(from), entity(to), found({ operation: 'link', payload })]
    }
    case 'alias': {
      const payload = { entity: statement.subject.name, alias: statement.alias }
      return [entity(statement.subject), found({ operation: 'add_alias', payload })]
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
