import type { OperationName } from '../../../../contract/knowledge/ontology-operations.js'
import type { OperationKind } from '../model/operation.js'
import { addMemory } from './add-memory.js'
import { addAlias, retireAlias } from './aliases.js'
import { assertClaim } from './assert-claim.js'
import { createEntity, mentionEntity, pruneEntity } from './entities.js'
import { forgetMemory } from './forget-memory.js'
import { link, unlink } from './links.js'
import { mergeEntities } from './merge-entities.js'
import { retractClaim, supersedeClaim } from './supersede-claim.js'
import { supersedeMemory } from './supersede-memory.js'

/** Every operation; the contract has what each of them takes. */
const operations = {
  create_entity: createEntity,
  add_alias: addAlias,
  retire_alias: retireAlias,
  merge_entities: mergeEntities,
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
} satisfies { [Name in OperationName]: Pick<OperationKind<Name>, 'name'> }

/** An operation whose payload was checked against the contract. */
export function operationNamed(name: OperationName): OperationKind<never, unknown> {
  return operations[name] as never
}
