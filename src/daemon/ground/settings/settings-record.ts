import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { AuthSettings } from '../../../contract/settings.js'
import { replaceFile } from '../../../lib/files/replace-file.js'
import { jsonOf } from '../../../lib/text/json-of.js'
import { SettingsError } from '../../../lib/workspace/settings-file.js'
import type { GivenValues } from './security-settings.js'

type Mode = AuthSettings['mode']

const content = z.object({
  /** The mode in force last; local without a file. */
  mode: z.enum(['local', 'team', 'hybrid']).default('local'),
  /** The security settings in force while those of agent.yaml wait for a person. */
  held: z.record(z.string(), z.unknown()).optional(),
  /** The team's settings in agent.yaml, so that a later edit by hand is noticed. */
  team: z
    .object({
      /** Names the database. */
      place: z.string(),
      /** When the daemon last read or wrote it. */
      last: z.record(z.string(), z.unknown()),
      /** At its last start. */
      started: z.record(z.string(), z.unknown()),
    })
    .optional(),
})
type Content = z.infer<typeof content>

/** Facts about settings that outlive a restart, in a file that git and agents of a team don't reach. */
export interface SettingsRecord {
  mode(): Mode
  held(): GivenValues | undefined
  /** Keeps security settings in force; undefined lets those of agent.yaml in. */
  hold(part: GivenValues | undefined): void
  noteMode(mode: Mode): void
  team(): Content['team']
  noteTeam(team: NonNullable<Content['team']>): void
}

/** @throws SettingsError for a faulty file, since without it a team's daemon could open to everybody. */
export function openSettingsRecord(file: string): SettingsRecord {
  let now = read(file)
  const write = (next: Content): void => {
    if (JSON.stringify(next) === JSON.stringify(now)) return
    replaceFile(file, JSON.stringify(next), 0o600)
    now = next
  }
  return {
    mode: () => now.mode,
    held: () => now.held,
    hold: held => write({ mode: now.mode, ...(held && { held }), ...(now.team && { team: now.team }) }),
    noteMode: mode => write({ ...now, mode }),
    team: () => now.team,
    noteTeam: team => write({ ...now, team }),
  }
}

function read(file: string): Content {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { mode: 'local' }
    throw faulty(file, `cannot be read: ${(error as Error).message}`)
  }
  const known = content.safeParse(jsonOf(text))
  if (known.success) return known.data
  throw faulty(file, 'is damaged; delete it to put the security settings of agent.yaml in force')
}

function faulty(file: string, message: string): SettingsError {
  return new SettingsError([{ file, line: 0, key: '', message }])
}

const strength = { local: 0, hybrid: 1, team: 2 } as const

/** True if a mode lets in callers that another one refuses. */
export function isWeaker(mode: Mode, than: Mode): boolean {
  return strength[mode] < strength[than]
}
