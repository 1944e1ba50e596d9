import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/sdk/types.js'
import type { Reply } from './envelope.js'

/** A transport on which a server of the older revisions is asked directly. */
export class AskedServer implements Transport {
  onmessage?: (message: JSONRPCMessage) => void
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #waiting = new Map<RequestId, (reply: Reply) => void>()

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.()
  }

  /** Resolves to the reply; never, if the request is cancelled. */
  readonly ask = (request: JSONRPCRequest): Promise<Reply> =>
    new Promise(resolve => {
      this.#waiting.set(request.id, resolve)
      this.onmessage?.(request)
    })

  readonly notify = (message: JSONRPCMessage): void => {
    if ('method' in message && message.method === 'notifications/cancelled')
      this.#waiting.delete(message.params?.requestId as RequestId)
    this.onmessage?.(message)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.takes(message)
  }

  /** Returns true if a message is the reply to a request of `ask`. */
  takes(message: JSONRPCMessage): boolean {
    if ('method' in message || message.id === undefined) return false
    const resolve = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    resolve?.(message as Reply)
    return resolve !== undefined
  }
}
