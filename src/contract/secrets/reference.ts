import { z } from 'zod'

/** `NAME`, `local://NAME` or `env:NAME`; what a reference of the settings looks like. */
export const secretReference = z
  .string()
  .max(200)
  .regex(
    /^(?:env:|local:\/\/)?[A-Za-z_][A-Za-z0-9_]*$/,
    'must be a reference (a name from memory secrets list, or env:OPENAI_API_KEY), not the key itself',
  )
