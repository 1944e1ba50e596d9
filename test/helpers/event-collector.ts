import type { ServerResponse } from 'node:http'
import type { Scope } from './daemon-process.js'
import { type HttpFake, sendJson, startHttpFake } from './embedding-fakes.js'

/** How a collector responds: accepts, fails, refuses, redirects, or never answers. */
export type CollectorBehaviour = 'takes' | 'fails' | 'refuses' | 'redirects' | 'hangs'

export interface EventCollector extends HttpFake {
  behave(behaviour: CollectorBehaviour): void
  /** Received batches, parsed. */
  batches(): { version: number; batch: string; events: { event: string; properties: object }[] }[]
}

const answers: Readonly<Record<CollectorBehaviour, (response: ServerResponse) => void>> = {
  takes: response => void response.writeHead(204).end(),
  fails: response => sendJson(response, 503, { error: 'busy' }),
  refuses: response => sendJson(response, 422, { error: 'no' }),
  redirects: response => void response.writeHead(307, { location: '/elsewhere' }).end(),
  hangs: () => undefined,
}

/** A server that can receive events. */
export async function startCollector(t: Scope): Promise<EventCollector> {
  let currentBehaviour: CollectorBehaviour = 'takes'
  const fake = await startHttpFake(t, (_request, response) => answers[currentBehaviour](response))
  return {
    ...fake,
    behave: behaviour => {
      currentBehaviour = behaviour
    },
    batches: () => fake.requests.map(({ body }) => JSON.parse(body)),
  }
}
