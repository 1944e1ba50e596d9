import * as contract from '../../../contract/knowledge/ontology-operations.js'
import type { Domain } from '../../platform/domain.js'
import { route } from '../../platform/http/bind.js'
import { performOperations } from './perform-operations.js'

/** What is known of entities: written by operations, each with the quotes that say so (knowledge.md). */
export const ontology: Domain = {
  routes: [
    route(contract.performOperations, async (daemon, { caller, body }) => {
      const performed = await performOperations(daemon, caller, body)
      return {
        results: performed.map(({ operationId: _record, made: _made, ...result }, index) => ({
          index,
          ...result,
        })),
      }
    }),
  ],
}
