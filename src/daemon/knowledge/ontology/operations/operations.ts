import type { OperationName } from '../../../../contract/knowledge/ontology-operations.js'
import type { OperationKind } from '../model/operation.js'
import { assertClaim, endFact, retractClaim, supersedeClaim } from './claims.js'
import {
  addAlias,
  createEntity,
  mentionEntity,
  mergeEntities,
  pruneEntity,
  retireAlias,
  splitEntity,
} from './entities.js'
import { link, unlink } from './links.js'
import { addMemory, forgetMemory, supersedeMemory } from './memories.js'

/** All operations; the contract defines their payloads. */
const operations = {
  create_entity: createEntity,
  add_alias: addAlias,
  retire_alias: retireAlias,
  merge_entities: mergeEntities,
  split_entity: splitEntity,
  assert_claim: assertClaim,
  supersede_claim: supersedeClaim,
  retract_claim: retractClaim,
  link,
  unlink,
  add_memory: addMemory,
  supersede_memory: supersedeMemory,
  forget_memory: forgetMemory,
  mention_entity: mentionEntity,
  prune_entity: pruneEntity,
  end_fact: endFact,
} satisfies { [Name in OperationName]: Pick<OperationKind<Name>, 'name'> }

/** Returns an operation; its payload must have been checked against the contract. */
export function operationNamed(name: OperationName): OperationKind<never, unknown> {
  return operations[name] as never
}
