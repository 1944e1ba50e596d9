import { AppError } from '../../../contract/ground/errors.js'

/**
 * Resolves a token reference at the moment of use; the token is never cached.
 * @param secret resolves references, see Secrets.resolve
 * @param schemes prefixes that users may have stored with the token: `Bot`, `Bearer`
 * @throws AppError `validation_failed` for a value that cannot be a header, without repeating it; errors of
 * `secret`
 */
export async function resolveToken(
  secret: (reference: string) => Promise<string>,
  reference: string,
  schemes: readonly string[],
): Promise<string> {
  const words = (await secret(reference)).trim().split(/\s+/u)
  const token = schemes.includes(words[0] ?? '') ? words.slice(1) : words
  if (token.length === 1 && /^[\x21-\x7e]+$/u.test(token[0] ?? '')) return token[0] ?? ''
  throw new AppError(
    'validation_failed',
    `the secret ${reference} does not contain a token: a token is one word of printable ASCII characters; store it again with memory secrets set`,
  )
}
