import { padText } from '../terminal/text.js'

/** What became of one secret, or would. */
export interface Fate {
  name: string
  action: 'create' | 'overwrite' | 'same' | 'differs' | 'invalid'
  done: boolean
  error?: string | undefined
  localDeleted?: boolean
}

const planned: Readonly<Record<Fate['action'], string>> = {
  create: 'new',
  overwrite: 'replaces the value there',
  same: 'there already',
  differs: 'another value there, stays (--overwrite replaces it)',
  invalid: 'left out',
}

/** One line a secret: its name and what happens to it. */
export function fateLines(fates: readonly Fate[], { deletesLocal }: { deletesLocal: boolean }): string[] {
  const width = Math.max(0, ...fates.map(({ name }) => name.length))
  return fates.map(fate => `${padText(fate.name, width)}  ${fateOf(fate, deletesLocal)}`)
}

function fateOf({ action, error, localDeleted }: Fate, deletesLocal: boolean): string {
  if (error !== undefined) return `failed: ${error}`
  const moves = deletesLocal && action !== 'differs' && action !== 'invalid'
  return `${planned[action]}${moves || localDeleted ? ', then deleted here' : ''}`
}
