import type { SettingsCheck } from '../../../contract/operations/settings-file.js'
import { withoutSecrets } from '../../../lib/text/without-secrets.js'

type SettingsChange = SettingsCheck['changes'][number]

/** What stands where a credential is, in whatever is shown of the settings. */
export const mask = '(masked)'

/** How keys end whose value is, or derives from, a credential, beside those that end in `key`. */
export const secretWords = 'passw(?:or)?d|passphrase|pwd|secret|token|credential|hash'
/** Such keys. A path, as `projects` has them, is no such name. */
const secretKey = new RegExp(
  `^[^/\\\\]*(?:${secretWords}|api[-_]?key|access[-_]?key|private[-_]?key)s?$`,
  'iu',
)
/** The one kind of key whose value names where a secret is. */
const referenceKey = /api[-_]?key$/iu
const reference = /^(?:(?:env:|local:\/\/)\w+|vault[ab]:\/\/.+|[A-Za-z_]\w{0,18}|[A-Z_][A-Z0-9_]*)$/u
/** The same in the midst of a text: by a form that no password has by chance. */
const spokenReference = /^(?:(?:env:|local:\/\/)\w+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$/u
/** A user, and maybe a password, in an address. */
const login = /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s@/?#]{1,300}(?=@)/giu
/** A parameter of an address that lets in whoever knows it. */
const parameter = /(?<=[?&](?:key|api[-_]?key|(?:access_)?token|sig(?:nature)?|secret)=)[^\s&#"']+/giu

/** Whether the value of a key is nothing but a credential. Plurals with a number are counts. */
export function isSecret(key: string, value: unknown): boolean {
  if (!secretKey.test(key)) return false
  if (typeof value === 'number') return !/s$/iu.test(key)
  if (typeof value !== 'string' || value === '') return false
  return !(referenceKey.test(key) && reference.test(value) && withoutSecrets(value) === value)
}

/** A text with the mask where it holds a credential. */
export function maskedText(text: string): string {
  const rest = withoutSecrets(text, found => (spokenReference.test(found) ? found : mask))
  return rest.replace(login, found => (found.endsWith(mask) ? found : mask)).replace(parameter, mask)
}

/** The value of a key with the mask in the place of credentials; objects and lists all through. */
export function maskedValue(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map(one => maskedValue(one, key))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskedValue(one, name)]))
  if (isSecret(key, value)) return mask
  return typeof value === 'string' ? maskedText(value) : value
}

/** A change of one setting; its values are JSON. */
export function maskedChange(change: SettingsChange): SettingsChange {
  const name = change.key.split('.').at(-1)
  const shown = (json: string | null) => json && JSON.stringify(maskedValue(JSON.parse(json), name))
  return { ...change, before: shown(change.before), after: shown(change.after) }
}
