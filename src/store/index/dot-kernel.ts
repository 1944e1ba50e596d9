import { simdKernel } from './simd-kernel.js'

/** Rows that one call of a kernel takes at most. */
export const kernelRows = 4096

const pageBytes = 65_536
const maxPages = 65_536

// Layout of the memory: the first page holds query, row numbers and results, the rows follow.
const numbersAt = 16_384
const resultsAt = 32_768
const rowsAt = pageBytes

/**
 * Signed bytes in rows of `stride`, and dot products with a query of 16-bit numbers. Results of a call stay in
 * `results` until the next one.
 */
export interface DotKernel {
  /** Row `n` starts at `rows[n * stride]`. Ask again after `reserve`. */
  readonly rows: Int8Array
  /** Where the query goes: `stride` numbers. */
  readonly query: Int16Array
  /** Row numbers for `gather`, at most `kernelRows`. */
  readonly numbers: Uint32Array
  readonly results: Int32Array
  /** @throws RangeError when the rows would need more than 4 GiB. */
  reserve(rows: number): void
  scan(firstRow: number, count: number): void
  gather(count: number): void
}

interface KernelExports {
  scan(query: number, rows: number, stride: number, count: number, out: number): void
  gather(query: number, base: number, stride: number, numbers: number, count: number, out: number): void
}

/** Views of a buffer laid out as the kernels expect it. */
function viewsOf(buffer: ArrayBuffer, stride: number) {
  return {
    query: new Int16Array(buffer, 0, stride),
    numbers: new Uint32Array(buffer, numbersAt, kernelRows),
    results: new Int32Array(buffer, resultsAt, kernelRows),
    rows: new Int8Array(buffer, rowsAt),
  }
}

/** @returns undefined where WebAssembly or its SIMD is missing. */
export function simdDotKernel(stride: number): DotKernel | undefined {
  const code = Buffer.from(simdKernel, 'base64')
  if (typeof WebAssembly === 'undefined' || !WebAssembly.validate(code)) return undefined
  // Address space for all pages is reserved at once, so growing never moves what is there.
  const memory = new WebAssembly.Memory({ initial: 1, maximum: maxPages })
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code), { env: { memory } })
  const { scan, gather } = exports as unknown as KernelExports
  return {
    ...viewsOf(memory.buffer, stride),
    reserve(rows) {
      const missing = rowsAt + rows * stride - memory.buffer.byteLength
      if (missing <= 0) return
      const pages = Math.max(
        Math.ceil(missing / pageBytes),
        Math.ceil(memory.buffer.byteLength / pageBytes / 8),
      )
      memory.grow(Math.min(pages, maxPages - memory.buffer.byteLength / pageBytes))
      Object.assign(this, viewsOf(memory.buffer, stride))
      if (this.rows.length < rows * stride)
        throw new RangeError(`no room for ${rows} vectors of ${stride} bytes`)
    },
    scan: (firstRow, count) => scan(0, rowsAt + firstRow * stride, stride, count, resultsAt),
    gather: count => gather(0, rowsAt, stride, numbersAt, count, resultsAt),
  }
}

/** The same sums in plain JavaScript. */
export function plainDotKernel(stride: number): DotKernel {
  const buffer = new ArrayBuffer(pageBytes, { maxByteLength: maxPages * pageBytes - pageBytes })
  const dot = ({ query, rows }: DotKernel, row: number) => {
    let sum = 0
    for (let i = 0, at = row * stride; i < stride; i++, at++) sum += query[i]! * rows[at]!
    return sum
  }
  return {
    ...viewsOf(buffer, stride),
    reserve(rows) {
      const needed = rowsAt + rows * stride
      if (needed <= buffer.byteLength) return
      buffer.resize(Math.min(Math.max(needed, Math.ceil(buffer.byteLength * 1.125)), buffer.maxByteLength))
    },
    scan(firstRow, count) {
      for (let i = 0; i < count; i++) this.results[i] = dot(this, firstRow + i)
    },
    gather(count) {
      for (let i = 0; i < count; i++) this.results[i] = dot(this, this.numbers[i]!)
    },
  }
}
