import { CliError } from '../shell/cli-error.js'

const words: Readonly<Record<string, number>> = { helpful: 1, neutral: 0, harmful: -1 }

/**
 * Ratings as people type them: `ID=1`, `ID=-0.5`, `ID=helpful`.
 * @returns ratings by memory id, -1 to 1 (recall.md 4.9). @throws CliError quoting what is no rating.
 */
export function parseRatings(given: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    given.map(text => {
      const [, id, value = ''] = /^([^=\s]+)=(\S+)$/u.exec(text) ?? []
      const rating = words[value] ?? Number(value)
      if (id && value !== '' && rating >= -1 && rating <= 1) return [id, rating]
      throw new CliError(`"${text}" is no rating: use ID=1 (helpful), ID=0 (neutral) or ID=-1 (harmful)`, {
        code: 'validation_failed',
        exit: 'usage',
      })
    }),
  )
}
