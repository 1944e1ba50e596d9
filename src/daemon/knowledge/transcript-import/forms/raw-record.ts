/** Largest record that is read. */
export const maxRecordBytes = 16 * 1024 * 1024

/** One record of a file as it stands there. */
export interface RawRecord {
  /** In its file, from 1. For lines the number of the line. */
  number: number
  /** Bytes of the file up to its end. */
  end: number
  /** Undefined for one that is larger than what is read. */
  bytes: Buffer | undefined
}

/** How far the records of a file were read. */
export interface RecordPlace {
  /** Bytes that were read. */
  bytes: number
  /** The number of the last record. */
  number: number
}

/** Takes records apart, as the bytes come. @param place where the bytes begin, a place behind a record. */
export type Framing = (source: AsyncIterable<Buffer>, place: RecordPlace) => AsyncGenerator<RawRecord>

/** Gathers the bytes of a record that may be too large to be kept. */
export class RecordBytes {
  #pieces: Buffer[] = []
  #length = 0

  /** Bytes so far, also those that were not kept. */
  get length(): number {
    return this.#length
  }

  add(piece: Buffer): void {
    this.#length += piece.length
    if (this.#length > maxRecordBytes) this.#pieces = []
    else if (piece.length > 0) this.#pieces.push(piece)
  }

  /** The bytes of the record that ends here; the next one begins. */
  take(): Buffer | undefined {
    const bytes = this.#length > maxRecordBytes ? undefined : Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#length = 0
    return bytes
  }
}
