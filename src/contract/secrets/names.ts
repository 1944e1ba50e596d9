import { z } from 'zod'
import { secretProvider } from '../ground/wire-names.js'
import { nameFault, nameForm } from './name-form.js'

/** Paths below /api/secrets that are no names (secrets.md#names-and-values). */
const takenByRoutes: readonly string[] = [
  'exec',
  'store',
  secretProvider.bitwarden,
  secretProvider.onePassword,
]

/** Longest value of a secret, in bytes of UTF-8. */
export const maxValueBytes = 64 * 1024

/**
 * Name of a secret: what an environment variable may be called, and nothing that every JavaScript object has already
 * (`__proto__`, `constructor`). A refused one is not repeated: somebody may have given the value as the name.
 */
export const secretName = z
  .string()
  .max(128, 'a name of a secret has at most 128 characters')
  .regex(nameForm, nameFault)
  .refine(
    name => !(name in {}),
    'this name belongs to every JavaScript object and can be no secret; choose another one',
  )

/** Names of what the daemon keeps for itself, such as the token of a password manager: in no list, and nobody's to name. */
export const ownPrefix = '_service_'

/** A name under which a secret can be stored and deleted by HTTP. */
export const storableName = secretName
  .refine(
    name => !takenByRoutes.includes(name),
    `${takenByRoutes.join(', ')} are paths of the API and can be no secrets; write the name in capitals or choose another one`,
  )
  .refine(
    name => !name.startsWith(ownPrefix),
    `names with ${ownPrefix} are kept for the daemon; choose another one`,
  )

/** Kept byte for byte. Messages about it never repeat it. */
export const secretValue = z
  .string('the value is a string')
  .min(1, 'the value is empty; memory secrets delete removes a secret')
  .refine(
    value => new TextEncoder().encode(value).length <= maxValueBytes,
    `the value is larger than ${maxValueBytes} bytes; keep such a file on disk and store its path or its key`,
  )

/** A passphrase that a key is derived from. */
export const passphrase = z
  .string('the passphrase is a string')
  .min(8, 'the passphrase has fewer than 8 characters')
  .max(1024, 'the passphrase has more than 1024 characters')

/** `NAME`, `local://NAME`, `env:NAME` or a path in a password manager; what a reference of the settings looks like. */
export const secretReference = z
  .string()
  .max(200)
  .regex(
    /^(?:(?:env:|local:\/\/)?[A-Za-z_][A-Za-z0-9_]*|vault[ab]:\/\/[^/]+(?:\/[^/]+){1,3})$/,
    'must be a reference (a name from memory secrets list, or env:OPENAI_API_KEY), not the key itself',
  )
