import { StringDecoder } from 'node:string_decoder'
import { maxRunOutput } from '../../../contract/agents/tasks.js'
import { BoundedOutput } from '../../platform/processes/bounded-output.js'

export type OutputStream = 'stdout' | 'stderr'

/** Part of the output, and the number of UTF-16 units before it. */
export interface OutputChunk {
  offset: number
  data: string
}

/** Upper bound for the length of the line that marks omitted output. */
const markLength = 64
/** A UTF-8 byte never becomes more than one UTF-16 unit. */
const half = maxRunOutput / 2 - markLength

/** Output of both streams in order of arrival; beginning and end are kept (tasks.md 8). */
export class RunOutput {
  readonly #kept = new BoundedOutput(half)
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') }
  #length = 0

  /** @returns the complete characters of the chunk; an incomplete one waits for its remaining bytes. */
  add(stream: OutputStream, chunk: Buffer): OutputChunk {
    return this.#add(this.#decoders[stream].write(chunk))
  }

  /** Returns what remains of incomplete characters. */
  end(stream: OutputStream): OutputChunk {
    return this.#add(this.#decoders[stream].end())
  }

  /** Returns the output kept so far, for late readers. */
  chunks(): OutputChunk[] {
    const { head, tail } = this.#kept.parts()
    const last = tail.toString()
    const chunks = [
      { offset: 0, data: head.toString() },
      { offset: this.#length - last.length, data: last },
    ]
    return chunks.filter(({ data }) => data !== '')
  }

  text(): { text: string; isTruncated: boolean } {
    const { text, leftOut } = this.#kept.text()
    return { text, isTruncated: leftOut > 0 }
  }

  #add(decoded: string): OutputChunk {
    // SQLite text can't contain NUL characters.
    const data = decoded.replaceAll('\0', '\uFFFD')
    const offset = this.#length
    this.#length += data.length
    if (data !== '') this.#kept.add(Buffer.from(data))
    return { offset, data }
  }
}
