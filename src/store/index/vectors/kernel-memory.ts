const pageBytes = 65_536
const maxPages = 65_536

/** The buffer of a kernel: it grows without moving its content. */
export interface KernelMemory {
  readonly buffer: ArrayBuffer
  /**
   * Grows the buffer to at least this size.
   * @returns true if it is now another object, so that views must be created again.
   * @throws RangeError above 4 GiB.
   */
  reserve(bytes: number): boolean
}

/** A compiled kernel and its memory; undefined if WebAssembly or its SIMD is missing. */
export function instantiateKernel<Exports>(
  base64: string,
): { memory: KernelMemory; exports: Exports } | undefined {
  const code = Buffer.from(base64, 'base64')
  if (typeof WebAssembly === 'undefined' || !WebAssembly.validate(code)) return undefined
  // Address space for all pages is reserved at once, so growing never moves the content.
  const memory = new WebAssembly.Memory({ initial: 1, maximum: maxPages })
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code), { env: { memory } })
  return { memory: wasmMemory(memory), exports: exports as Exports }
}

/**
 * Maps a kernel's arrays, with room for rows behind them from `rowsAt` on. `views` creates the arrays, again
 * after each growth.
 */
export function arraysWithRows<Arrays extends object>(
  memory: KernelMemory,
  { rowsAt, bytesOf }: { rowsAt: number; bytesOf(rows: number): number },
  views: (buffer: ArrayBuffer) => Arrays,
): Arrays & { reserve(rows: number): void } {
  memory.reserve(rowsAt)
  return {
    ...views(memory.buffer),
    reserve(rows: number) {
      if (memory.reserve(rowsAt + bytesOf(rows))) Object.assign(this, views(memory.buffer))
    },
  }
}

function wasmMemory(memory: WebAssembly.Memory): KernelMemory {
  return {
    get buffer() {
      return memory.buffer
    },
    reserve(bytes) {
      const present = memory.buffer.byteLength / pageBytes
      const missing = Math.ceil(bytes / pageBytes) - present
      if (missing <= 0) return false
      if (present + missing > maxPages) throw new RangeError(`no room for ${bytes} bytes of vectors`)
      memory.grow(Math.min(Math.max(missing, Math.ceil(present / 8)), maxPages - present))
      return true
    },
  }
}

/** The same for kernels in plain JavaScript. */
export function plainMemory(): KernelMemory {
  const buffer = new ArrayBuffer(pageBytes, { maxByteLength: (maxPages - 1) * pageBytes })
  return {
    buffer,
    reserve(bytes) {
      if (bytes > buffer.byteLength)
        buffer.resize(Math.max(bytes, Math.min(Math.ceil(buffer.byteLength * 1.125), buffer.maxByteLength)))
      return false
    },
  }
}
