import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Operation } from '../../../contract/knowledge/ontology-operations.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Mode, OntologyDeps, Performed, Scope } from './model/operation.js'
import { type NamedPlace, readerOf } from './model/reader.js'
import { performOperation } from './perform-operation.js'

/**
 * Operations of one caller, one after the other, each by itself: one that is rejected stops none
 * (knowledge.md#operations).
 * @throws AppError `scope_violation` for an agent or project that the credential excludes.
 */
export async function performOperations(
  deps: OntologyDeps,
  caller: Caller,
  { operations, mode, ...named }: NamedPlace & { operations: readonly Operation[]; mode: Mode },
): Promise<Performed[]> {
  const scope = scopeOf(caller, named)
  const performed: Performed[] = []
  for (const operation of operations) {
    performed.push(await performOperation(deps, scope, operation, mode))
    await nextTurn()
  }
  return performed
}

function scopeOf(caller: Caller, named: NamedPlace): Scope {
  const reader = readerOf(caller, named)
  return {
    caller: { ...caller, agentId: reader.agentId },
    reader,
    place: {
      project: named.project ?? reader.boundary.only?.project,
      sessionKey: caller.sessionKey === undefined ? undefined : sessionKeyOf(caller.sessionKey),
    },
  }
}
