import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Sealed } from '../../contract/secrets/store-file.js'

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const authTagLength = 16
export const keyBytes = 32

/** Encrypts under a random IV. @param place what it stands for, so that a sealed text opens in its own place only. */
export function seal(key: Buffer, text: Buffer, place: string): Sealed {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength }).setAAD(Buffer.from(place))
  const ct = Buffer.concat([cipher.update(text), cipher.final()])
  return {
    iv: iv.toString('base64'),
    ct: ct.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
  }
}

/** @throws Error for another key, another place, or any change of the bytes. */
export function unseal(key: Buffer, { iv, ct, tag }: Sealed, place: string): Buffer {
  const decipher = createDecipheriv(algorithm, key, exactly(iv, ivBytes), { authTagLength })
    .setAAD(Buffer.from(place))
    .setAuthTag(exactly(tag, authTagLength))
  return Buffer.concat([decipher.update(Buffer.from(ct, 'base64')), decipher.final()])
}

function exactly(base64: string, length: number): Buffer {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length !== length) throw new Error(`${bytes.length} bytes where ${length} are due`)
  return bytes
}
