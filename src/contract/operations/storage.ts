import { z } from 'zod'
import { secretReference } from '../secrets/names.js'

const postgresUrl = /^postgres(?:ql)?:\/\/\S+$/

/** Where memories are stored: in the file of the workspace, or on a PostgreSQL server (postgres.md). */
export const storageSettings = z.object({
  /** A URL, or the reference of a secret that is one. Absent: the file of the workspace. */
  postgres: z
    .string()
    .max(2000)
    .refine(
      text => (postgresUrl.test(text) && URL.canParse(text)) || secretReference.safeParse(text).success,
      'must be postgres://USER@HOST/DATABASE, or a secret reference such as MEMORY_DATABASE or env:DATABASE_URL',
    )
    .optional(),
  /** The schema of this workspace; each workspace of a database has its own. */
  schema: z
    .string()
    .regex(/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/, 'must be a name in lower case, such as memory or team_a')
    .default('memory'),
})
