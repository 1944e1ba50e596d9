import type { Reply, Request } from '../../../contract/api.js'
import type { NewOperation } from '../../../contract/knowledge/ontology-operations.js'
import { CliError } from '../../shell/cli-error.js'

type Operations = 'POST /api/ontology/operations'

/**
 * Prepares one operation by a person on the command line.
 * @returns the request, and `result`, which throws CliError for a refused operation
 */
export function changeEntity<Name extends NewOperation['operation']>(
  operation: Name,
  payload: Extract<NewOperation, { operation: Name }>['payload'],
) {
  const one = { operation, payload, reason: 'by hand on the terminal', confidence: 1 } as NewOperation
  const body: Request<Operations> = { body: { operations: [one] } }
  return {
    body,
    result: ({ results: [result] }: Reply<Operations>): Reply<Operations>['results'][number] => {
      if (result?.status === 'applied' || result?.status === 'deduplicated') return result
      const why = (result?.blockedReason ?? result?.status ?? 'rejected').replaceAll('_', ' ')
      throw new CliError(`not changed: ${why}`, {
        code: result?.blockedReason ?? 'refused',
        exit: why.endsWith('not found') ? 'notFound' : 'refused',
        nextSteps: ['memory ontology entities'],
      })
    },
  }
}
