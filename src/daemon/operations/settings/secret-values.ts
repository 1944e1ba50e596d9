import type { SettingsCheck } from '../../../contract/operations/settings-file.js'
import { withoutSecrets } from '../../../lib/text/without-secrets.js'

type SettingsChange = SettingsCheck['changes'][number]

/** Replaces credentials wherever settings are shown. */
export const mask = '(masked)'

/** Endings of keys with a credential, or something derived from one, besides `key`. */
export const secretWords = 'passw(?:or)?d|passphrase|pwd|secret|token|credential|hash'
/** Such keys. A path, as in `projects`, is not one. */
const secretKey = new RegExp(
  `^[^/\\\\]*(?:${secretWords}|api[-_]?key|access[-_]?key|private[-_]?key)s?$`,
  'iu',
)
/** The only keys whose value may reference a secret. */
const referenceKey = /api[-_]?key$/iu
const reference = /^(?:(?:env:|local:\/\/)\w+|vault[ab]:\/\/.+|[A-Za-z_]\w{0,18}|[A-Z_][A-Z0-9_]*)$/u
/** References inside running text, in forms that no password has by chance. */
const referenceInText = /^(?:(?:env:|local:\/\/)\w+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$/u
/** User and password in an address. */
const login = /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s@/?#]{1,300}(?=@)/giu
/** Address parameter that grants access. */
const parameter = /(?<=[?&](?:key|api[-_]?key|(?:access_)?token|sig(?:nature)?|secret)=)[^\s&#"']+/giu

/** True when the value of a key is a credential. Numbers under plural keys are counts. */
export function isSecret(key: string, value: unknown): boolean {
  if (!secretKey.test(key)) return false
  if (typeof value === 'number') return !/s$/iu.test(key)
  if (typeof value !== 'string' || value === '') return false
  return !(referenceKey.test(key) && reference.test(value) && withoutSecrets(value) === value)
}

/** Masks the credentials in a text. */
export function maskedText(text: string): string {
  const rest = withoutSecrets(text, found => (referenceInText.test(found) ? found : mask))
  return rest.replace(login, found => (found.endsWith(mask) ? found : mask)).replace(parameter, mask)
}

/** Masks the credentials in a value, recursively in objects and lists. */
export function maskedValue(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map(one => maskedValue(one, key))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskedValue(one, name)]))
  if (isSecret(key, value)) return mask
  return typeof value === 'string' ? maskedText(value) : value
}

/** Masks a change of one setting; its values are JSON. */
export function maskedChange(change: SettingsChange): SettingsChange {
  const name = change.key.split('.').at(-1)
  const shown = (json: string | null) => json && JSON.stringify(maskedValue(JSON.parse(json), name))
  return { ...change, before: shown(change.before), after: shown(change.after) }
}
