import type { Operation } from '../../../../contract/knowledge/ontology-operations.js'
import type { AskedOperation } from '../../../../store/tables/knowledge/ontology-records.js'
import { nameKey } from '../../../ground/entities/name-key.js'
import type { AgentText } from '../evidence/evidence.js'
import { type DreamingPass, pipelineActor } from './pass.js'

/** The earlier operations on some sources of one agent, loaded with one query for each kind of source. */
export class AskedOperations {
  readonly rows: readonly AskedOperation[]
  readonly #seen = new Map<string, Set<string>>()
  readonly #refused = new Map<string, Set<string>>()

  private constructor(rows: readonly AskedOperation[], isShadow: boolean) {
    // Operations of the shadow mode still have to be performed for real.
    this.rows = rows.filter(({ mode }) => isShadow || mode !== 'shadow')
    const ended = new Set(rows.filter(isEnd).map(({ result_id }) => result_id))
    for (const row of this.rows) {
      const sense = looseSense(row.operation, JSON.parse(row.payload) as Record<string, unknown>)
      if (sense !== undefined && isRefused(row, ended)) setOf(this.#refused, row.source_id).add(sense)
      const isDone = row.status === 'applied' || row.status === 'deduplicated'
      if ((isDone && ended.has(row.result_id)) || isWithdrawn(row)) continue
      setOf(this.#seen, row.source_id).add(keyOf(row.operation, row.payload))
    }
  }

  static async of(
    { deps: { store }, isShadow }: Pick<DreamingPass, 'deps' | 'isShadow'>,
    agentId: string,
    pieces: readonly Pick<AgentText, 'piece'>[],
  ): Promise<AskedOperations> {
    const byKind = new Map<string, Set<string>>()
    for (const { piece } of pieces) setOf(byKind, piece.sourceKind).add(piece.sourceId)
    const rows: AskedOperation[] = []
    for (const [kind, ids] of byKind)
      rows.push(...(await store.tables.ontologyRecords.askedOf(agentId, { kind, ids: [...ids] })))
    return new AskedOperations(rows, isShadow)
  }

  /** Returns whether an operation was already requested on all of its evidence, and notes it. */
  note({ operation, payload, evidence }: Operation): boolean {
    const key = keyOf(operation, JSON.stringify(payload))
    const known = evidence.map(({ sourceId }) => {
      const seen = setOf(this.#seen, sourceId)
      const isKnown = seen.has(key)
      seen.add(key)
      return isKnown
    })
    return known.length > 0 && known.every(Boolean)
  }

  /** True if a person took back the same statement of the same source, however its slot is named now. */
  isRefused({ operation, payload, evidence }: Operation): boolean {
    const sense = looseSense(operation, payload)
    return (
      sense !== undefined && evidence.some(({ sourceId }) => this.#refused.get(sourceId)?.has(sense) === true)
    )
  }
}

/** An operation with its payload, to compare with rows. */
export function keyOf(operation: string, payload: string): string {
  return `${operation} ${payload}`
}

function isEnd({ operation }: AskedOperation): boolean {
  return operation === 'end_fact'
}

/** Suggestions that the rules took back are not decisions of a person. */
function isWithdrawn({ proposal_status, decided_by }: AskedOperation): boolean {
  return proposal_status === 'rejected' && decided_by === pipelineActor
}

function isRefused(row: AskedOperation, ended: ReadonlySet<string | null>): boolean {
  if (row.proposal_status === 'rejected') return !isWithdrawn(row)
  return (row.held === 'retracted' || row.held === 'unlinked') && !ended.has(row.subject_id)
}

/** Entity and value of a statement, without its slot; both ends of a link, without its relation. */
function looseSense(operation: string, payload: object): string | undefined {
  const of = (...fields: string[]): string =>
    JSON.stringify([
      operation,
      ...fields.map(field => nameKey(String(payload[field as keyof typeof payload]))),
    ])
  if (operation === 'assert_claim') return of('entity', 'value')
  return operation === 'link' ? of('from', 'to') : undefined
}

/** Returns the set of a key, made when it is first asked for. */
export function setOf<Key>(sets: Map<Key, Set<string>>, key: Key): Set<string> {
  const set = sets.get(key) ?? new Set()
  sets.set(key, set)
  return set
}
