import type { Daemon } from '../../../platform/daemon/daemon.js'

/** A file of a store; names have `/` between folders. */
export interface StoredFile {
  name: string
  bytes: number
}

/** A place where all devices put their files. It sees only ciphertext, and may lose or change any of it. */
export interface Transport {
  /** For messages: the path or address, without credentials. */
  place: string
  /** Requests that it takes at the same time; a few when it is not given. */
  atOnce?: number
  /** Sentences about what the last list found wrong, each once. */
  oddities?(): string[]
  /** Every file that is there as a whole. @throws TransportFault when the place can't be reached */
  list(): Promise<StoredFile[]>
  /** @returns undefined for a file that is not there, or not downloaded yet */
  get(name: string): Promise<Buffer | undefined>
  /** Resolves once the file is there as a whole. Files never change, so one of this name is left alone. */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Resolves too when the file is not there. */
  remove(name: string): Promise<void>
  /** Ends connections; nothing is called afterwards. */
  close(): Promise<void>
}

/** Everything that a transport needs besides its address. */
export interface TransportOptions {
  /** The address as the person typed it, for messages. */
  place: string
  /** The value of the secret, read at each use, so that a new one counts at once. */
  credentials(): Promise<string | undefined>
  /** The next step for a person when it is refused. */
  advice: string
  /** Aborts when the daemon stops or the place changes. */
  signal: AbortSignal
  deps: Pick<Daemon, 'paths' | 'log' | 'environment'>
}

/**
 * - `unreachable`: no answer, or one that says to come back: the same request may succeed soon.
 * - `absent`: the folder, bucket, repository or box is not there, or turned off.
 * - `refused`: the credentials are missing, wrong, or not enough.
 * - `full`: no room, or a limit is reached.
 * - `damaged`: the answer is not one of such a place, or less than the place had before.
 */
export type TransportFaultKind = 'unreachable' | 'absent' | 'refused' | 'full' | 'damaged'

interface TransportFaultOptions extends ErrorOptions {
  kind?: TransportFaultKind
  /** The place said when to come back. */
  retryAfterMs?: number | undefined
}

/** A place that can't be used now; a later attempt may succeed. The message has no credentials. */
export class TransportFault extends Error {
  override name = 'TransportFault'
  readonly kind: TransportFaultKind
  readonly retryAfterMs: number | undefined

  constructor(message: string, { kind = 'absent', retryAfterMs, ...options }: TransportFaultOptions = {}) {
    super(message, options)
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}

/** False for a file that is not there, or the half of one that a server kept of a cut transfer. */
export function isWhole(there: Buffer | undefined, bytes: Uint8Array): boolean {
  if (!there) return false
  const isHalf = there.length < bytes.length && there.equals(bytes.subarray(0, there.length))
  return !isHalf
}
