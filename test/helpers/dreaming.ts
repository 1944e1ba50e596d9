import type { DreamPass } from '../../src/contract/knowledge/dreaming.js'
import type { TestDaemon } from './daemon.js'
import { until } from './daemon-process.js'

/** Starts a pass and waits for its end. @returns its result. @throws Error when it is refused. */
export async function runDreamPass(daemon: Pick<TestDaemon, 'call'>): Promise<DreamPass> {
  const { status, body } = await daemon.call('POST /api/dream/trigger')
  if (status !== 202) throw new Error(`the trigger answered ${status}: ${JSON.stringify(body)}`)
  return passOf(daemon, body.jobId as string)
}

/** Waits for the end of a job's pass. */
export function passOf({ call }: Pick<TestDaemon, 'call'>, jobId: string): Promise<DreamPass> {
  return until(async () => {
    const { body } = await call('GET /api/dream/status')
    if (body.jobId === jobId) return undefined
    return body.passes.find(pass => pass.jobId === jobId && pass.outcome !== 'running')
  })
}

/** Current facts of an entity, as `aspect claim = value`. */
export async function factsOf({ call }: Pick<TestDaemon, 'call'>, name: string): Promise<string[]> {
  const { body } = await call('GET /api/ontology/entities/:id', { params: { id: name } })
  return (body.claims ?? []).map(({ aspect, claim, value, status }) =>
    status === 'current' ? `${aspect} ${claim} = ${value}` : `${aspect} ${claim} ? ${value}`,
  )
}
