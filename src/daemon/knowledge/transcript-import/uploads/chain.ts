import { createHash } from 'node:crypto'
import { uploadChunkBytes } from '../../../../contract/knowledge/import-files.js'

/** The checksum chain of an empty file. */
export const emptyChain = '0'.repeat(64)

/**
 * Extends a file's checksum chain: for each chunk of 64 KiB, the hex SHA-256 of the chain so far and the
 * chunk's SHA-256. The sizes of requests make no difference.
 * @param chain of the preceding whole chunks
 * @param bytes whole chunks too, except at the end of a file
 */
export function extendChain(chain: string, bytes: Uint8Array): string {
  let digest = chain
  for (let at = 0; at < bytes.length; at += uploadChunkBytes) {
    const chunk = createHash('sha256')
      .update(bytes.subarray(at, at + uploadChunkBytes))
      .digest()
    digest = createHash('sha256').update(Buffer.from(digest, 'hex')).update(chunk).digest('hex')
  }
  return digest
}
