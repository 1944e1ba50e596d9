import { Args } from '@oclif/core'

/** Words to look for; `queryOf` joins them. */
export const queryArgument = {
  query: Args.string({
    description: 'What to look for; several words need no quotes.',
    required: true,
    multiple: true,
    ignoreStdin: true,
  }),
}

/** The words as one query. */
export function queryOf({ query }: { query: readonly string[] }): string {
  return query.join(' ')
}
