import { parentPort, type TransferListItem } from 'node:worker_threads'

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

/** An answer whose buffers go to whoever asked instead of being copied. */
export class HandedOver {
  constructor(
    readonly answer: unknown,
    readonly buffers: readonly TransferListItem[],
  ) {}
}

/** The side of a thread that answers what it is asked, one after the other. */
export function answerAll(answer: (name: string, given: readonly unknown[]) => unknown): void {
  let last = Promise.resolve()
  const reply = async ({ call, name, given }: ThreadRequest): Promise<void> => {
    try {
      const answered = await answer(name, given)
      if (answered instanceof HandedOver) send({ call, answer: answered.answer }, answered.buffers)
      else send({ call, answer: answered })
    } catch (error) {
      const { name: kind, code, message } = error as { name: string; code?: string; message: string }
      send({ call, fault: { name: kind, code, message } })
    }
  }
  parentPort?.on('message', (request: ThreadRequest) => {
    last = last.then(() => reply(request))
  })
}

function send(reply: ThreadReply, buffers: readonly TransferListItem[] = []): void {
  parentPort?.postMessage(reply, buffers)
}
