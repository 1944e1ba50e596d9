import { parentPort, type TransferListItem } from 'node:worker_threads'

/** A request to a thread: a name and arguments. */
export interface ThreadRequest {
  call: number
  name: string
  given: readonly unknown[]
}

/** Threads pass errors as text only. */
export type ThreadReply =
  | { call: number; answer: unknown }
  | { call: number; fault: { name: string; code: string | undefined; message: string } }

/** An answer whose buffers are transferred instead of copied. */
export class TransferredAnswer {
  constructor(
    readonly answer: unknown,
    readonly buffers: readonly TransferListItem[],
  ) {}
}

/** The thread's side: answers requests one after another. */
export function answerAll(answer: (name: string, given: readonly unknown[]) => unknown): void {
  let last = Promise.resolve()
  const reply = async ({ call, name, given }: ThreadRequest): Promise<void> => {
    try {
      const answered = await answer(name, given)
      if (answered instanceof TransferredAnswer) send({ call, answer: answered.answer }, answered.buffers)
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
