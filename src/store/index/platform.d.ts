/// <reference lib="es2024.arraybuffer" />

/**
 * The part of the WebAssembly API used by the vector kernels; Node has it, the `es2023` library lacks its
 * types.
 */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { initial: number; maximum: number })
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  class Module {
    constructor(code: Uint8Array)
  }
  class Instance {
    constructor(module: Module, imports: { env: { memory: Memory } })
    readonly exports: Record<string, unknown>
  }
  function validate(code: Uint8Array): boolean
}

/** OpenCC's table of characters: `traditional simplified`, joined by `|`. */
declare module 'opencc-js/dict/TSCharacters' {
  const pairs: string
  export default pairs
}
