/** Bytes kept of each end of an output. */
const defaultHalf = 512 * 1024

/** Keeps the beginning and the end of an output. */
export class BoundedOutput {
  readonly #head: Buffer[] = []
  #headBytes = 0
  /** A ring buffer, allocated when the beginning is full. */
  #tail: Buffer | undefined
  #tailBytes = 0

  constructor(readonly half = defaultHalf) {}

  add(chunk: Buffer): void {
    const first = chunk.subarray(0, this.half - this.#headBytes)
    // A copy, because a slice would keep the whole original buffer.
    if (first.length > 0) this.#head.push(Buffer.from(first))
    this.#headBytes += first.length
    const rest = chunk.subarray(first.length)
    if (rest.length > 0) this.#addToTail(rest)
  }

  #addToTail(chunk: Buffer): void {
    this.#tail ??= Buffer.alloc(this.half)
    const kept = chunk.subarray(-this.half)
    const at = (this.#tailBytes + chunk.length - kept.length) % this.half
    const fitting = Math.min(kept.length, this.half - at)
    kept.copy(this.#tail, at, 0, fitting)
    kept.copy(this.#tail, 0, fitting)
    this.#tailBytes += chunk.length
  }

  /** Both ends, and the number of bytes omitted between them; characters are never split. */
  parts(): { head: Buffer; leftOut: number; tail: Buffer } {
    const head = Buffer.concat(this.#head)
    const tail = this.#tailInOrder()
    if (this.#tailBytes <= this.half)
      return { head: Buffer.concat([head, tail]), leftOut: 0, tail: Buffer.alloc(0) }
    const [whole, rest] = [withoutBrokenEnd(head), withoutBrokenStart(tail)]
    const leftOut = this.#headBytes + this.#tailBytes - whole.length - rest.length
    return { head: whole, leftOut, tail: rest }
  }

  /** As text, with a line that states the omitted bytes. */
  text(): { text: string; leftOut: number } {
    const { head, leftOut, tail } = this.parts()
    if (leftOut === 0) return { text: head.toString(), leftOut }
    return { text: `${head}\n[... ${leftOut} bytes left out ...]\n${tail}`, leftOut }
  }

  #tailInOrder(): Buffer {
    if (!this.#tail) return Buffer.alloc(0)
    if (this.#tailBytes <= this.half) return this.#tail.subarray(0, this.#tailBytes)
    const at = this.#tailBytes % this.half
    return Buffer.concat([this.#tail.subarray(at), this.#tail.subarray(0, at)])
  }
}

const continues = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** A UTF-8 character has at most four bytes. */
function withoutBrokenEnd(bytes: Buffer): Buffer {
  let at = bytes.length - 1
  while (at > bytes.length - 4 && continues(bytes[at])) at--
  const first = bytes[at] ?? 0
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  return length > bytes.length - at ? bytes.subarray(0, at) : bytes
}

function withoutBrokenStart(bytes: Buffer): Buffer {
  let at = 0
  while (at < 3 && continues(bytes[at])) at++
  return bytes.subarray(at)
}
