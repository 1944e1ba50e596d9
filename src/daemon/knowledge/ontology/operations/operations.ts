import type { OperationName } from '../../../../contract/knowledge/ontology-operations.js'
import type { OperationKind } from '../model/operation.js'
import { addAlias } from './add-alias.js'
import { addMemory } from './add-memory.js'
import { assertClaim } from './assert-claim.js'
import { createEntity } from './create-entity.js'
import { forgetMemory } from './forget-memory.js'
import { link } from './link.js'
import { mentionEntity } from './mention-entity.js'
import { mergeEntities } from './merge-entities.js'
import { pruneEntity } from './prune-entity.js'
import { retireAlias } from './retire-alias.js'
import { retractClaim } from './retract-claim.js'
import { supersedeClaim } from './supersede-claim.js'
import { supersedeMemory } from './supersede-memory.js'
import { unlink } from './unlink.js'

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
