import type { Readable, Writable } from 'node:stream'
import { ErrorCode, type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { jsonOf } from '../lib/text/json-of.js'
import { askFirst } from './ask-first.js'
import { AskedServer, modernAnswers } from './modern/answer.js'
import { claimsModern } from './modern/envelope.js'
import { readCall } from './tool/read-arguments.js'

/** A client that sends a longer line is not worth the memory. */
const maxLineLength = 10 * 1024 * 1024

/**
 * JSON-RPC in lines like the SDK's own transport, with two additions of revision 2025-03-26: a line may
 * contain a batch, and invalid messages get an error reply (mcp.md 4.9). Replies to a batch are sent as
 * separate lines once they are ready, because clients match ids, and clients built with the SDK cannot read
 * batches. Messages of revision 2026-07-28 name it in their data and are answered beside the others.
 */
export class LineTransport extends AskedServer {
  #line = ''
  readonly #answersModern = modernAnswers(this, askFirst)

  constructor(
    readonly input: Readable,
    readonly output: Writable,
  ) {
    super()
  }

  override async start(): Promise<void> {
    this.input.setEncoding('utf8')
    this.input.on('data', this.#take).on('error', this.#fail)
  }

  override async close(): Promise<void> {
    this.input.off('data', this.#take).off('error', this.#fail).pause()
    await super.close()
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    if (!this.takes(message)) await this.#write(message)
  }

  readonly #fail = (error: Error): void => this.onerror?.(error)

  readonly #take = (text: string): void => {
    const [first = '', ...others] = text.split('\n')
    this.#line += first
    for (const next of others) {
      const line = this.#line
      this.#line = next
      if (line.trim() !== '') this.#read(line)
    }
    if (this.#line.length <= maxLineLength) return
    this.#refuse(ErrorCode.InvalidRequest, `a line is longer than ${maxLineLength} characters`)
    void this.close()
  }

  #read(line: string): void {
    const parsed = jsonOf(line)
    if (parsed === undefined) {
      this.#refuse(ErrorCode.ParseError, 'the line is not valid JSON')
      return
    }
    const messages: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
    if (messages.length === 0) this.#refuse(ErrorCode.InvalidRequest, 'the batch is empty')
    for (const message of messages) {
      const known = JSONRPCMessageSchema.safeParse(message)
      if (known.success) this.#pass(readCall(known.data), { isAlone: !Array.isArray(parsed) })
      else this.#refuse(ErrorCode.InvalidRequest, 'not a JSON-RPC 2.0 message', idOf(message))
    }
  }

  #pass(message: JSONRPCMessage, { isAlone }: { isAlone: boolean }): void {
    if (!claimsModern(message)) this.onmessage?.(message)
    else if (isAlone) void this.#answer(message)
    else this.#refuse(ErrorCode.InvalidRequest, 'revision 2026-07-28 has no batches', idOf(message))
  }

  async #answer(message: JSONRPCMessage): Promise<void> {
    for (const reply of await this.#answersModern(message)) await this.#write(reply)
  }

  #refuse(code: ErrorCode, message: string, id: string | number | null = null): void {
    void this.#write({ jsonrpc: '2.0', id, error: { code, message } })
  }

  #write(message: object): Promise<void> {
    return new Promise(resolve => {
      if (this.output.write(`${JSON.stringify(message)}\n`)) resolve()
      else this.output.once('drain', resolve)
    })
  }
}

/** Returns the id of an invalid message; null if it has none, as JSON-RPC requires. */
function idOf(message: unknown): string | number | null {
  const id = (message as { id?: unknown } | null)?.id
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
