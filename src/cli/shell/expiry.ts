import { CliError } from './cli-error.js'

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/**
 * When something ends: `30d` from now (m, h, d, w), or a date.
 * @returns an ISO 8601 timestamp.
 * @throws CliError `invalid_input`
 */
export function expiryOf(text: string, now: Date): string {
  const [, amount, unit = ''] = /^(\d{1,6})([mhdw])$/u.exec(text) ?? []
  const time = amount ? now.getTime() + Number(amount) * (unitMs[unit] ?? 0) : Date.parse(text)
  if (Number.isNaN(time) || time <= now.getTime())
    throw new CliError(`--expires ${JSON.stringify(text)} is no time in the future`, {
      code: 'invalid_input',
      exit: 'usage',
      nextSteps: ['Give a time from now such as 12h, 30d or 8w, or a date such as 2030-01-31'],
    })
  return new Date(time).toISOString()
}
