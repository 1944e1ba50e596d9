/** A file of a store; names have `/` between folders. */
export interface StoredFile {
  name: string
  bytes: number
}

/** A place where all devices put their files. It sees only ciphertext, and may lose or change any of it. */
export interface Transport {
  /** For messages: the path or address. */
  place: string
  /** @throws TransportFault when the place can't be reached */
  list(): Promise<StoredFile[]>
  /** @returns undefined for a file that is not there, or not downloaded yet */
  get(name: string): Promise<Buffer | undefined>
  /** Resolves once the file is there as a whole. Files never change, so one of this name is left alone. */
  put(name: string, bytes: Uint8Array): Promise<void>
  remove(name: string): Promise<void>
}

/** A place that can't be reached now; a later attempt may succeed. */
export class TransportFault extends Error {
  override name = 'TransportFault'
}
