/** Larger records are rejected. */
export const maxRecordBytes = 16 * 1024 * 1024

/** One unparsed record of a file. */
export interface RawRecord {
  /** Number within its file, from 1; for lines the line number. */
  number: number
  /** Offset of the record's end in the file. */
  end: number
  /** Undefined for a record above the size limit. */
  bytes: Buffer | undefined
}

/** How far the records of a file have been read. */
export interface RecordOffset {
  /** Bytes read. */
  bytes: number
  /** Number of the last record. */
  number: number
}

/**
 * Splits bytes into records as they arrive.
 * @param place where the bytes begin; always the end of a record
 */
export type Framing = (source: AsyncIterable<Buffer>, place: RecordOffset) => AsyncGenerator<RawRecord>

/** Collects the bytes of a record, and drops them when the record becomes too large. */
export class RecordBytes {
  #pieces: Buffer[] = []
  #length = 0

  /** Bytes so far, including dropped ones. */
  get length(): number {
    return this.#length
  }

  add(piece: Buffer): void {
    this.#length += piece.length
    if (this.#length > maxRecordBytes) this.#pieces = []
    else if (piece.length > 0) this.#pieces.push(piece)
  }

  /** Returns the bytes of the finished record and starts the next one. */
  take(): Buffer | undefined {
    const bytes = this.#length > maxRecordBytes ? undefined : Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#length = 0
    return bytes
  }
}
