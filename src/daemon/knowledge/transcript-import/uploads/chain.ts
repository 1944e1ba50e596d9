import { createHash } from 'node:crypto'
import { uploadChunkBytes } from '../../../../contract/knowledge/import-files.js'

/** The checksum chain of a file without bytes. */
export const emptyChain = '0'.repeat(64)

/**
 * The checksum chain of a file with some more bytes: for each chunk of 64 KiB the hex SHA-256 of the chain so far and the
 * SHA-256 of the chunk. How the bytes were cut into requests makes no difference.
 * @param chain of what stands before, whole chunks. @param bytes whole chunks too, but for the end of a file.
 */
export function continuedChain(chain: string, bytes: Uint8Array): string {
  let digest = chain
  for (let at = 0; at < bytes.length; at += uploadChunkBytes) {
    const chunk = createHash('sha256')
      .update(bytes.subarray(at, at + uploadChunkBytes))
      .digest()
    digest = createHash('sha256').update(Buffer.from(digest, 'hex')).update(chunk).digest('hex')
  }
  return digest
}
