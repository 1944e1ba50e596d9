import { z } from 'zod'
import { secretProvider } from '../ground/wire-names.js'
import { nameFault, nameForm } from './name-form.js'

/** Paths below /api/secrets that cannot be names (secrets.md#names-and-values). */
const takenByRoutes: readonly string[] = [
  'exec',
  'store',
  secretProvider.bitwarden,
  secretProvider.onePassword,
]

/** Longest value of a secret, in bytes of UTF-8. */
export const maxValueBytes = 64 * 1024

/**
 * Name of a secret: valid as an environment variable, and not a property of every JavaScript object
 * (`__proto__`, `constructor`). A refused name is not repeated, because it may be a value entered by mistake.
 */
export const secretName = z
  .string()
  .max(128, 'a secret name has at most 128 characters')
  .regex(nameForm, nameFault)
  .refine(name => !(name in {}), 'this name is reserved by JavaScript; choose another one')

/**
 * Prefix of the daemon's own entries, such as a password manager's token; they are hidden and cannot be
 * named.
 */
export const ownPrefix = '_service_'

/** A name under which a secret can be stored and deleted by HTTP. */
export const storableName = secretName
  .refine(
    name => !takenByRoutes.includes(name),
    `${takenByRoutes.join(', ')} are paths of the API and cannot be secret names; use capitals or choose another name`,
  )
  .refine(
    name => !name.startsWith(ownPrefix),
    `names with ${ownPrefix} are reserved for the daemon; choose another name`,
  )

/** Stored byte for byte. Messages never repeat it. */
export const secretValue = z
  .string('the value must be a string')
  .min(1, 'the value is empty; to remove a secret, use memory secrets delete')
  .refine(
    value => new TextEncoder().encode(value).length <= maxValueBytes,
    `the value is larger than ${maxValueBytes} bytes; keep the file on disk and store its path or key`,
  )

/** A passphrase from which a key is derived. */
export const passphrase = z
  .string('the passphrase must be a string')
  .min(8, 'the passphrase has fewer than 8 characters')
  .max(1024, 'the passphrase has more than 1024 characters')

/** `NAME`, `local://NAME`, `env:NAME` or a path in a password manager, as used in settings. */
export const secretReference = z
  .string()
  .max(200)
  .regex(
    /^(?:(?:env:|local:\/\/)?[A-Za-z_][A-Za-z0-9_]*|vault[ab]:\/\/[^/]+(?:\/[^/]+){1,3})$/,
    'must be a reference (a name from memory secrets list, or env:OPENAI_API_KEY), not the key itself',
  )
