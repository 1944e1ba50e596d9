import { parentPort } from 'node:worker_threads'

/** What a thread is asked: a name, and what it needs to answer. */
export interface ThreadRequest {
  call: number
  name: string
  given: readonly unknown[]
}

/** Threads hand on nothing but the text of an error. */
export type ThreadReply =
  | { call: number; answer: unknown }
  | { call: number; fault: { name: string; code: string | undefined; message: string } }

/** The side of a thread that answers what it is asked, one after the other. */
export function answerAll(answer: (name: string, given: readonly unknown[]) => unknown): void {
  const state = { last: Promise.resolve() }
  const reply = async ({ call, name, given }: ThreadRequest): Promise<void> => {
    try {
      send({ call, answer: await answer(name, given) })
    } catch (error) {
      const { name: kind, code, message } = error as { name: string; code?: string; message: string }
      send({ call, fault: { name: kind, code, message } })
    }
  }
  parentPort?.on('message', (request: ThreadRequest) => {
    state.last = state.last.then(() => reply(request))
  })
}

function send(reply: ThreadReply): void {
  parentPort?.postMessage(reply)
}
