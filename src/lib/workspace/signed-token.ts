import { createHmac, timingSafeEqual } from 'node:crypto'
import { jsonOf } from '../text/json-of.js'

/** `{base64url(payload)}.{base64url(hmac)}`: HMAC-SHA256 over the encoded payload (security.md 5.2). */
export function signToken(secret: Buffer, payload: object): string {
  const encoded = Buffer.from(JSON.stringify(payload)).toString('base64url')
  return `${encoded}.${signatureOf(secret, encoded).toString('base64url')}`
}

/**
 * Returns the payload of a token signed with this secret, else undefined. Decoders accept several texts for
 * the same bytes (padding, other alphabets, leftover bits). Only the spelling of `signToken` is valid, so a
 * token revoked by its text cannot return in another spelling.
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
