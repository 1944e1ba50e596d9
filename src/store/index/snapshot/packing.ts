import { damaged } from './frames.js'

type NumberArray = Uint8Array | Int8Array | Uint32Array | Float32Array | Float64Array
type NumberArrayType<T extends NumberArray> = {
  new (buffer: ArrayBufferLike, offset: number, length: number): T
  readonly BYTES_PER_ELEMENT: number
}

const alignment = 8
const padding = (bytes: number) => (alignment - (bytes % alignment)) % alignment

/** Puts arrays of numbers and JSON values one after another into a frame's payload, each with its length before it. */
export class Packer {
  #parts: Uint8Array[] = []

  numbers(array: NumberArray): this {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
    const length = new Uint8Array(alignment)
    new DataView(length.buffer).setUint32(0, bytes.length, true)
    this.#parts.push(length, bytes, new Uint8Array(padding(bytes.length)))
    return this
  }

  json(value: unknown): this {
    return this.numbers(Buffer.from(JSON.stringify(value)))
  }

  payload(): Buffer {
    return Buffer.concat(this.#parts)
  }
}

/** Reads what a `Packer` wrote, in the same order. Arrays are views of the payload. */
export class Unpacker {
  #at = 0

  constructor(readonly payload: Buffer) {}

  numbers<T extends NumberArray>(type: NumberArrayType<T>): T {
    const { payload } = this
    const start = this.#at + alignment
    if (start > payload.length) throw damaged('a part is missing')
    const bytes = payload.readUInt32LE(this.#at)
    if (start + bytes > payload.length || bytes % type.BYTES_PER_ELEMENT !== 0)
      throw damaged('a part is cut off')
    this.#at = start + bytes + padding(bytes)
    return new type(payload.buffer, payload.byteOffset + start, bytes / type.BYTES_PER_ELEMENT)
  }

  json<T>(): T {
    const bytes = this.numbers(Uint8Array)
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  }
}
