import { createHmac, timingSafeEqual } from 'node:crypto'

/** `{base64url(payload)}.{base64url(hmac)}`: HMAC-SHA256 over the encoded payload (spec 1, 5.2). */
export function signToken(secret: Buffer, payload: object): string {
  const encoded = Buffer.from(JSON.stringify(payload)).toString('base64url')
  return `${encoded}.${signatureOf(secret, encoded).toString('base64url')}`
}

/** The payload of a token that was signed with this secret; undefined for any other text. */
export function openToken(secret: Buffer, token: string): unknown {
  const [encoded = '', signature = '', ...rest] = token.split('.')
  const given = Buffer.from(signature, 'base64url')
  const expected = signatureOf(secret, encoded)
  const genuine = given.length === expected.length && timingSafeEqual(given, expected)
  if (!genuine || rest.length > 0) return undefined
  try {
    return JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

function signatureOf(secret: Buffer, encoded: string): Buffer {
  return createHmac('sha256', secret).update(encoded).digest()
}
