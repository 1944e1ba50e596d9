import { storeFile } from '../../../contract/secrets/store-file.js'
import { jsonOf } from '../../../lib/text/json-of.js'

/** The encrypted secret store is backed up unchanged; its key is not. */
export const secretsPath = '.secrets/secrets.json'

/**
 * @returns id of the inner key that encrypts a secret store; null without a store. @param text content of the
 * file
 */
export function innerKeyIn(text: string | undefined): string | null {
  const parsed = text === undefined ? undefined : storeFile.safeParse(jsonOf(text))
  return parsed?.success ? parsed.data.dek.id : null
}
