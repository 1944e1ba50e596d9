import type { Tables } from '../../../../store/tables/tables.js'
import { describeSchema, sampleTable } from './describe-database.js'
import { listSafety } from './list-safety.js'
import { takeSurvey } from './survey.js'

/**
 * Queries that read more rows than a request may on the event loop. They run on the diagnostics thread, or on
 * this one when the database can't be opened twice.
 */
export const lookUps = {
  survey: takeSurvey,
  schema: describeSchema,
  sample: sampleTable,
  safety: listSafety,
  chunks: async ({ transcriptChunks, sourceChunks }: Tables) => ({
    transcripts: await transcriptChunks.countAlive(),
    artifacts: await sourceChunks.countAlive(),
  }),
  aliveIds: ({ rowDamage }: Tables, after: string, limit: number) => rowDamage.aliveIds(after, limit),
} satisfies Record<string, (tables: Tables, ...given: never[]) => Promise<unknown>>

export type LookUp = keyof typeof lookUps
type LookUpArguments<F> = F extends (tables: Tables, ...given: infer Given) => unknown ? Given : never
export type LookUpInput<Name extends LookUp> = LookUpArguments<(typeof lookUps)[Name]>
export type LookUpAnswer<Name extends LookUp> = Awaited<ReturnType<(typeof lookUps)[Name]>>
