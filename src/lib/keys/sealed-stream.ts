import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { messageOf } from '../text/message-of.js'

/** The first line of every file of age. */
const ageHeader = Buffer.from('age-encryption.org/v1\n')

/** A sealed file that no given key opens, or that was changed. */
export class SealFault extends Error {
  override name = 'SealFault'

  constructor(
    /** `no-key`: it is sealed for somebody else. `damaged`: its bytes are not those that were written. */
    readonly kind: 'no-key' | 'damaged',
    message: string,
  ) {
    super(message)
  }
}

/** Encrypts a stream with age for each of the recipients (`age1…`). @throws SealFault for a bad recipient */
export async function seal(
  source: AsyncIterable<Uint8Array>,
  recipients: readonly string[],
): Promise<AsyncIterable<Buffer>> {
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  for (const recipient of new Set(recipients)) encrypter.addRecipient(recipient)
  return buffers(await encrypter.encrypt(asWeb(source)))
}

/**
 * Passes a stream on, decrypted if it is a file of age. Nothing is yielded that was not verified.
 * @param identities secret keys (`AGE-SECRET-KEY-1…`)
 * @throws SealFault while it is read
 */
export async function* unsealed(
  source: AsyncIterable<Uint8Array>,
  identities: readonly string[],
): AsyncGenerator<Buffer> {
  const { isSealed, all } = await peek(source)
  if (!isSealed) return yield* all
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  for (const identity of new Set(identities)) addIdentity(decrypter, identity)
  try {
    yield* buffers(await decrypter.decrypt(asWeb(all)))
  } catch (error) {
    throw asSealFault(error, identities.length > 0)
  }
}

function addIdentity(decrypter: { addIdentity(identity: string): void }, identity: string): void {
  try {
    decrypter.addIdentity(identity)
  } catch {
    throw new SealFault('no-key', 'the given key is not a secret key of age')
  }
}

/** Computes the public key that belongs to a secret one. */
export async function recipientOf(identity: string): Promise<string> {
  const { identityToRecipient } = await import('age-encryption')
  return identityToRecipient(identity)
}

/** True for the beginning of a file of age. */
export function looksSealed(beginning: Uint8Array): boolean {
  return ageHeader.equals(beginning.subarray(0, ageHeader.length))
}

/** Reads the first bytes; `all` yields them again, and then the rest. */
async function peek(
  source: AsyncIterable<Uint8Array>,
): Promise<{ isSealed: boolean; all: AsyncGenerator<Buffer> }> {
  const iterator = source[Symbol.asyncIterator]()
  const first: Buffer[] = []
  let bytes = 0
  while (bytes < ageHeader.length) {
    const { done, value } = await iterator.next()
    if (done) break
    first.push(Buffer.from(value))
    bytes += value.length
  }
  async function* all(): AsyncGenerator<Buffer> {
    try {
      yield* first
      for (let next = await iterator.next(); !next.done; next = await iterator.next())
        yield Buffer.from(next.value)
    } finally {
      await iterator.return?.()
    }
  }
  return { isSealed: looksSealed(Buffer.concat(first)), all: all() }
}

function asSealFault(error: unknown, hasKeys: boolean): unknown {
  // The file system and its full disks speak for themselves.
  if (error instanceof SealFault || typeof (error as NodeJS.ErrnoException).code === 'string') return error
  const message = messageOf(error)
  if (/no identit/iu.test(message))
    return new SealFault('no-key', hasKeys ? 'it is sealed for another key' : 'it is sealed')
  return new SealFault('damaged', `it is damaged: ${message}`)
}

function asWeb(source: AsyncIterable<Uint8Array>): globalThis.ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(source)) as unknown as globalThis.ReadableStream<Uint8Array>
}

async function* buffers(stream: unknown): AsyncGenerator<Buffer> {
  for await (const piece of stream as ReadableStream<Uint8Array>)
    yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
}
