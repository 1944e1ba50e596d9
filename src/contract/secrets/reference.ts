import { z } from 'zod'

/** `NAME`, `local://NAME`, `env:NAME` or a path in a password manager; what a reference of the settings looks like. */
export const secretReference = z
  .string()
  .max(200)
  .regex(
    /^(?:(?:env:|local:\/\/)?[A-Za-z_][A-Za-z0-9_]*|vault[ab]:\/\/[^/]+(?:\/[^/]+){1,3})$/,
    'must be a reference (a name from memory secrets list, or env:OPENAI_API_KEY), not the key itself',
  )
