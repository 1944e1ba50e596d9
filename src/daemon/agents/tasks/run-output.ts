import { StringDecoder } from 'node:string_decoder'
import { maxRunOutput } from '../../../contract/agents/tasks.js'
import { BoundedOutput } from '../../platform/processes/bounded-output.js'

export type OutputStream = 'stdout' | 'stderr'

/** A piece of the output, and how many UTF-16 units came before it. */
export interface OutputPiece {
  offset: number
  data: string
}

/** The line that says what is left out has less than this. */
const markLength = 64
/** A byte of UTF-8 never becomes more than one UTF-16 unit. */
const half = maxRunOutput / 2 - markLength

/** What a run wrote to both streams, in the order in which it came: beginning and end are kept (tasks.md 8). */
export class RunOutput {
  readonly #kept = new BoundedOutput(half)
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') }
  #length = 0

  /** @returns what of it can be told: a character that is not whole waits for its end. */
  add(stream: OutputStream, chunk: Buffer): OutputPiece {
    return this.#add(this.#decoders[stream].write(chunk))
  }

  /** What is left of characters that never became whole. */
  end(stream: OutputStream): OutputPiece {
    return this.#add(this.#decoders[stream].end())
  }

  /** What is kept so far, for who comes late. */
  pieces(): OutputPiece[] {
    const { head, tail } = this.#kept.parts()
    const last = tail.toString()
    const pieces = [
      { offset: 0, data: head.toString() },
      { offset: this.#length - last.length, data: last },
    ]
    return pieces.filter(({ data }) => data !== '')
  }

  text(): { text: string; isTruncated: boolean } {
    const { text, leftOut } = this.#kept.text()
    return { text, isTruncated: leftOut > 0 }
  }

  #add(decoded: string): OutputPiece {
    // No text of the database has it.
    const data = decoded.replaceAll('\0', '\uFFFD')
    const offset = this.#length
    this.#length += data.length
    if (data !== '') this.#kept.add(Buffer.from(data))
    return { offset, data }
  }
}
