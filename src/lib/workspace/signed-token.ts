import { createHmac, timingSafeEqual } from 'node:crypto'
import { jsonOf } from '../text/json-of.js'

/** `{base64url(payload)}.{base64url(hmac)}`: HMAC-SHA256 over the encoded payload (security.md 5.2). */
export function signToken(secret: Buffer, payload: object): string {
  const encoded = Buffer.from(JSON.stringify(payload)).toString('base64url')
  return `${encoded}.${signatureOf(secret, encoded).toString('base64url')}`
}

/**
 * The payload of a token that was signed with this secret; undefined for any other text. Decoders read several texts as
 * the same bytes (padding, other alphabets, bits left over at the end): only the one that `signToken` writes counts, so
 * that a token that is refused by its text is refused for good.
 */
export function openToken(secret: Buffer, token: string): unknown {
  const [encoded = '', signature = '', ...rest] = token.split('.')
  const given = Buffer.from(signature)
  const expected = Buffer.from(signatureOf(secret, encoded).toString('base64url'))
  const genuine = given.length === expected.length && timingSafeEqual(given, expected)
  const payload = Buffer.from(encoded, 'base64url')
  if (!genuine || rest.length > 0 || payload.toString('base64url') !== encoded) return undefined
  return jsonOf(payload.toString('utf8'))
}

function signatureOf(secret: Buffer, encoded: string): Buffer {
  return createHmac('sha256', secret).update(encoded).digest()
}
