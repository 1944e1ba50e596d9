import type { ExecutionContext } from 'ava'
import type { NewOperation, OperationResult } from '../../src/contract/knowledge/ontology-operations.js'
import type { TestDaemon } from './daemon.js'

type OperationScope = { agentId?: string; project?: string; mode?: 'apply' | 'propose' | 'shadow' }

/** An operation with the required fields; `from` maps memory ids to quotes. */
export function operation<Name extends NewOperation['operation']>(
  name: Name,
  payload: Extract<NewOperation, { operation: Name }>['payload'],
  from: Readonly<Record<string, string>> = {},
): NewOperation {
  const evidence = Object.entries(from).map(([sourceId, quote]) => ({
    sourceKind: 'memory' as const,
    sourceId,
    quote,
  }))
  return { operation: name, payload, reason: 'a test', confidence: 0.9, evidence } as NewOperation
}

/** Performs operations and returns their results. @throws Error when the request is refused. */
export async function perform(
  { call }: Pick<TestDaemon, 'call'>,
  operations: readonly NewOperation[],
  { headers, ...named }: OperationScope & { headers?: Record<string, string> } = {},
): Promise<OperationResult[]> {
  const { status, body } = await call('POST /api/ontology/operations', {
    body: { operations: [...operations], ...named },
    ...(headers && { headers }),
  })
  if (status !== 200) throw new Error(`operations answered ${status}: ${JSON.stringify(body)}`)
  return body.results
}

/** Performs one operation, which must be applied. @returns the id of the created object */
export async function applied(
  t: ExecutionContext,
  daemon: Pick<TestDaemon, 'call'>,
  one: NewOperation,
  named: OperationScope = {},
): Promise<string> {
  const [result] = await perform(daemon, [one], named)
  t.is(result?.status, 'applied', JSON.stringify(result))
  return result?.id ?? ''
}

/** Creates an entity with a value, and an operation that is rejected. */
export async function storeEntityWithRejection(
  daemon: Pick<TestDaemon, 'call'>,
  { name, agentId, memory, quote }: { name: string; agentId: string; memory: string; quote: string },
): Promise<void> {
  const value = { entity: name, aspect: 'a', claim: 'c', value: quote }
  const operations = [
    operation('create_entity', { name, type: 'thing' }, { [memory]: quote }),
    operation('assert_claim', value, { [memory]: quote }),
    operation('create_entity', { name: `not ${name}`, type: 'thing' }, { [memory]: 'not there' }),
  ]
  await perform(daemon, operations, { agentId })
}
