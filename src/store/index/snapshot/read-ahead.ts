const maxChunkBytes = 4 * 2 ** 20

/** An open file, or something that reads like one. */
export interface ByteSource {
  read(buffer: Buffer, offset: number, length: number): Promise<{ bytesRead: number }>
}

export class EndOfFile extends Error {
  override name = 'EndOfFile'
}

/** Reads a file from its beginning; the next chunk is on its way while the caller works on this one. */
export class ReadAhead {
  #chunk: Buffer = Buffer.alloc(0)
  #at = 0
  #next: Promise<Buffer>

  /** @param size expected number of bytes; chunks are no larger. */
  constructor(
    readonly source: ByteSource,
    readonly size: number,
  ) {
    this.#next = this.#readAhead()
  }

  /** The next `length` bytes in memory of their own. @throws EndOfFile when there are fewer. */
  async take(length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafeSlow(length)
    for (let filled = 0; filled < length; ) {
      if (await this.isAtEnd()) throw new EndOfFile()
      const copied = this.#chunk.copy(bytes, filled, this.#at)
      this.#at += copied
      filled += copied
    }
    return bytes
  }

  async isAtEnd(): Promise<boolean> {
    if (this.#at < this.#chunk.length) return false
    this.#chunk = await this.#next
    this.#at = 0
    if (this.#chunk.length > 0) this.#next = this.#readAhead()
    return this.#chunk.length === 0
  }

  /** A failure is told to whoever waits for the chunk, and is nobody's when nobody does. */
  #readAhead(): Promise<Buffer> {
    const chunk = this.#read()
    chunk.catch(() => {})
    return chunk
  }

  async #read(): Promise<Buffer> {
    const buffer = Buffer.allocUnsafeSlow(Math.min(maxChunkBytes, this.size + 1))
    const { bytesRead } = await this.source.read(buffer, 0, buffer.length)
    return buffer.subarray(0, bytesRead)
  }
}
