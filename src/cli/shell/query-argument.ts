import { Args } from '@oclif/core'

/** Search words; `queryOf` joins them. */
export const queryArgument = {
  query: Args.string({
    description: 'Search words; several words need no quotes.',
    required: true,
    multiple: true,
    ignoreStdin: true,
  }),
}

export function queryOf({ query }: { query: readonly string[] }): string {
  return query.join(' ')
}
