import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Operation } from '../../../contract/knowledge/ontology-operations.js'
import { sessionKeyOf } from '../../ground/sessions/session-key.js'
import type { Caller } from '../../ground/visibility/caller.js'
import type { Mode, OntologyDeps, OperationResult, OperationScope } from './model/operation.js'
import { type NamedPlace, readerOf } from './model/reader.js'
import { performOperation } from './perform-operation.js'

/**
 * Performs operations of one caller one by one; a rejected one does not stop the others
 * (knowledge.md#operations).
 * @throws AppError `scope_violation` for an agent or project outside of the credential
 */
export async function performOperations(
  deps: OntologyDeps,
  caller: Caller,
  { operations, mode, ...named }: NamedPlace & { operations: readonly Operation[]; mode: Mode },
): Promise<OperationResult[]> {
  const scope = scopeOf(caller, named)
  const performed: OperationResult[] = []
  for (const operation of operations) {
    performed.push(await performOperation(deps, scope, operation, mode))
    await nextTurn()
  }
  return performed
}

function scopeOf(caller: Caller, named: NamedPlace): OperationScope {
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
