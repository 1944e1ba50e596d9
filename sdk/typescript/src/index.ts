export type { Api } from './api.js'
export * from './errors.js'
export type { Address, CallOptions, Input, MemoryOptions, Reply } from './http.js'
export * from './memory.js'
