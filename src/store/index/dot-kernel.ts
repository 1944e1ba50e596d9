import { simdKernel } from './simd-kernel.js'

/** Rows that one call of a kernel takes at most. */
export const kernelRows = 4096

const pageBytes = 65_536
const maxPages = 65_536

// Layout of the memory: the first two pages hold the arrays of a call, the rows follow.
const numbersAt = 16_384
const resultsAt = 32_768
const scalesAt = 49_152
const placesAt = 65_536
const rowsAt = 2 * pageBytes

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
  /** Scales of the rows of a call, for `sift`. */
  readonly scales: Float32Array
  /** Places in `results` that `sift` found. */
  readonly places: Uint32Array
  /** @throws RangeError when the rows would need more than 4 GiB. */
  reserve(rows: number): void
  scan(firstRow: number, count: number): void
  gather(count: number): void
  /** Puts the places whose result times scale reaches `bar`, in single precision, into `places`. @returns how many. */
  sift(count: number, bar: number): number
}

interface KernelExports {
  scan(query: number, rows: number, stride: number, count: number, out: number): void
  gather(query: number, base: number, stride: number, numbers: number, count: number, out: number): void
  sift(sums: number, scales: number, count: number, bar: number, out: number): number
}

/** Views of a buffer laid out as the kernels expect it. */
function viewsOf(buffer: ArrayBuffer, stride: number) {
  return {
    query: new Int16Array(buffer, 0, stride),
    numbers: new Uint32Array(buffer, numbersAt, kernelRows),
    results: new Int32Array(buffer, resultsAt, kernelRows),
    scales: new Float32Array(buffer, scalesAt, kernelRows),
    places: new Uint32Array(buffer, placesAt, kernelRows),
    rows: new Int8Array(buffer, rowsAt),
  }
}

/** @returns undefined where WebAssembly or its SIMD is missing. */
export function simdDotKernel(stride: number): DotKernel | undefined {
  const code = Buffer.from(simdKernel, 'base64')
  if (typeof WebAssembly === 'undefined' || !WebAssembly.validate(code)) return undefined
  // Address space for all pages is reserved at once, so growing never moves what is there.
  const memory = new WebAssembly.Memory({ initial: rowsAt / pageBytes, maximum: maxPages })
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code), { env: { memory } })
  const { scan, gather, sift } = exports as unknown as KernelExports
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
    sift(count, bar) {
      // Four at a time: what lies behind the last one never reaches the bar.
      this.scales.fill(Number.NaN, count, Math.ceil(count / 4) * 4)
      return sift(resultsAt, scalesAt, count, bar, placesAt)
    },
  }
}

/** The same sums in plain JavaScript. */
export function plainDotKernel(stride: number): DotKernel {
  const buffer = new ArrayBuffer(rowsAt, { maxByteLength: maxPages * pageBytes - pageBytes })
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
    sift(count, bar) {
      const { results, scales, places } = this
      let found = 0
      for (let i = 0; i < count; i++) if (results[i]! * scales[i]! >= bar) places[found++] = i
      return found
    },
  }
}
