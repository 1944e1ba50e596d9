import { createParser } from 'eventsource-parser'
import type { Address, Request } from '../../contract/api.js'
import { open } from './call.js'

export interface EventHandlers {
  /** Called with the parsed data of each event. */
  onEvent(data: unknown): void
  /** `lost` from the break of the connection until it is restored. */
  onState(state: 'connecting' | 'open' | 'lost'): void
}

const firstWaitMs = 1000
const longestWaitMs = 15_000

/**
 * Listens to server-sent events until the signal aborts, and reconnects after a break. `EventSource` can send
 * a credential only in its URL, which would end up in logs.
 */
export async function listen<A extends Address>(
  address: A,
  request: Request<A>,
  { onEvent, onState }: EventHandlers,
  signal: AbortSignal,
): Promise<void> {
  for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      onState(waitMs === firstWaitMs ? 'connecting' : 'lost')
      const response = await open(address, request, { signal })
      onState('open')
      waitMs = firstWaitMs
      await readEvents(response, onEvent)
    } catch {
      // The state reports the break, and the next attempt its cause.
    }
    if (signal.aborted) return
    onState('lost')
    await pause(waitMs, signal)
  }
}

async function readEvents(response: Response, onEvent: (data: unknown) => void): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const parser = createParser({ onEvent: ({ data }) => onEvent(JSON.parse(data)) })
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) return
    parser.feed(value ?? '')
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = (): void => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}
