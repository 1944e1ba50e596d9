import { storeFile } from '../../../contract/secrets/store-file.js'
import { jsonOf } from '../../../lib/text/json-of.js'

/** The encrypted store, which is in backups as it is; its key is not. */
export const secretsPath = '.secrets/secrets.json'

/** Which inner key a store of secrets is sealed by; null where there is no store. @param text of the file. */
export function innerKeyIn(text: string | undefined): string | null {
  const parsed = text === undefined ? undefined : storeFile.safeParse(jsonOf(text))
  return parsed?.success ? parsed.data.dek.id : null
}
