import type { StoredStrings } from '../arrays/packed-strings.js'
import { damaged } from './frames.js'
import { bytesOf, type Numbers } from './stored-rows.js'

type NumbersType<T extends Numbers> = {
  new (buffer: ArrayBufferLike, offset: number, length: number): T
  readonly BYTES_PER_ELEMENT: number
}

const alignment = 8
const padding = (bytes: number) => (alignment - (bytes % alignment)) % alignment

/** Packs arrays of numbers, strings and JSON values into a frame's payload. */
export class Packer {
  #parts: Uint8Array[] = []

  /** The array with its length before it. */
  numbers(array: Numbers): this {
    const length = new Uint8Array(alignment)
    new DataView(length.buffer).setUint32(0, array.byteLength, true)
    this.#parts.push(length, bytesOf(array), new Uint8Array(padding(array.byteLength)))
    return this
  }

  json(value: unknown): this {
    return this.numbers(Buffer.from(JSON.stringify(value)))
  }

  strings({ hashes, ends, encoding, bytes }: StoredStrings): this {
    return this.json(encoding).numbers(hashes).numbers(ends).numbers(bytes)
  }

  payload(): Buffer {
    return Buffer.concat(this.#parts)
  }
}

/** Reads the values of a `Packer` in the same order. Arrays are views of the payload. */
export class Unpacker {
  #at = 0
  readonly #payload: Buffer

  /** @param payload at an address divisible by 8. */
  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#payload = Buffer.from(buffer, byteOffset, byteLength)
  }

  numbers<T extends Numbers>(type: NumbersType<T>): T {
    const payload = this.#payload
    const start = this.#at + alignment
    if (start > payload.length) throw damaged('a part is missing')
    const bytes = payload.readUInt32LE(this.#at)
    if (start + bytes > payload.length || bytes % type.BYTES_PER_ELEMENT !== 0)
      throw damaged('a part is cut off')
    this.#at = start + bytes + padding(bytes)
    return new type(payload.buffer, payload.byteOffset + start, bytes / type.BYTES_PER_ELEMENT)
  }

  json<T>(): T {
    return JSON.parse(this.#buffer().toString())
  }

  strings(): StoredStrings {
    const encoding = this.json<StoredStrings['encoding']>()
    return {
      encoding,
      hashes: this.numbers(Uint32Array),
      ends: this.numbers(Uint32Array),
      bytes: this.#buffer(),
    }
  }

  #buffer(): Buffer {
    const { buffer, byteOffset, byteLength } = this.numbers(Uint8Array)
    return Buffer.from(buffer, byteOffset, byteLength)
  }
}
