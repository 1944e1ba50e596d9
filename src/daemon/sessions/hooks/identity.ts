import { readContextFile } from '../../../store/files/context-file.js'
import { withoutPrivate } from '../../ground/text/private-spans.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import type { StartSettings } from './start-settings.js'

export interface Identity {
  name: string
  description: string
  /** The text for the session; empty when there is none. */
  text: string
}

const noIdentity: Identity = { name: '', description: '', text: '' }
const maxFileBytes = 65_536
const maxName = 200
const maxDescription = 1000
/** Maximum characters of an identity file without a limit in its profile. */
const defaultMaxChars = 4000

/**
 * Reads the agent's identity from IDENTITY.md and the identity files of the harness's profile; empty unless
 * identities are managed here (rules.md 4.12).
 */
export async function readIdentity(
  { paths }: Pick<Daemon, 'paths'>,
  { includeIdentity, identityFiles }: StartSettings,
): Promise<Identity> {
  if (!includeIdentity) return noIdentity
  const own = withoutPrivate(await readContextFile(paths.root, paths.identity, maxFileBytes))
  const parsed = parseIdentity(own)
  if (!identityFiles) return { ...parsed, text: identityLine(parsed) }
  const texts = await Promise.all(
    identityFiles.map(async ({ path, maxChars = defaultMaxChars }) => {
      const text = withoutPrivate(await readContextFile(paths.root, path, maxFileBytes)).trim()
      return text.slice(0, maxChars).toWellFormed()
    }),
  )
  return { ...parsed, text: texts.filter(Boolean).join('\n\n') }
}

/**
 * Parses name and description of an IDENTITY.md: `name:` and `description:` (also as list items, bold or
 * front matter), otherwise its first heading and the first paragraph below.
 */
export function parseIdentity(markdown: string): Omit<Identity, 'text'> {
  const lines = markdown.split(/\r?\n/u).map(line => line.trim())
  const heading = lines.findIndex(line => /^#{1,6}\s+\S/u.test(line))
  const name = fieldIn(lines, 'name') ?? (lines[heading] ?? '').replace(/^#+\s+/u, '')
  const paragraph = lines
    .slice(heading + 1)
    .find(line => line !== '' && !/^(?:#|---)/u.test(line) && !field.test(line))
  const description = fieldIn(lines, 'description') ?? (heading < 0 ? '' : (paragraph ?? ''))
  return {
    name: name.slice(0, maxName).toWellFormed(),
    description: description.slice(0, maxDescription).toWellFormed(),
  }
}

const field = /^(?:[-*]\s+)?(?:\*\*|__)?([A-Za-z]+)(?:\*\*|__)?:(?:\*\*|__)?\s*(.*)$/u

function fieldIn(lines: readonly string[], wanted: string): string | undefined {
  for (const line of lines) {
    const [, name = '', value = ''] = field.exec(line) ?? []
    const plain = value.replace(/^(["'])(.*)\1$/u, '$2').trim()
    if (name.toLowerCase() === wanted && plain !== '') return plain
  }
  return undefined
}

function identityLine({ name, description }: Omit<Identity, 'text'>): string {
  return [name, description].filter(Boolean).join(': ')
}
