import { AppError } from '../../../contract/ground/errors.js'

/**
 * The token behind a reference, at the moment it is used; it is kept nowhere.
 * @param secret resolves references, see Secrets.resolve
 * @param schemes words that some store before the token: `Bot`, `Bearer`
 * @throws AppError `validation_failed` for what can't stand in a header, without repeating it; those of `secret`
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
    `the secret ${reference} holds no token: a token is one word of plain characters; store it again with memory secrets set`,
  )
}
