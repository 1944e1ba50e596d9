import { isAbsolute } from 'node:path'
import { similarNames } from '../../lib/text/similar-names.js'
import { plainLine } from '../terminal/text.js'

/** Groups of words with similar meanings, since topics use different names for similar commands. */
const synonyms: readonly (readonly string[])[] = [
  ['list', 'ls', 'show', 'get', 'read', 'view', 'inbox', 'status'],
  ['remove', 'rm', 'delete', 'del', 'uninstall', 'revoke'],
  ['add', 'create', 'new', 'install', 'init', 'set'],
  ['cancel', 'stop', 'kill', 'abort', 'pause'],
  ['run', 'start', 'trigger', 'resume'],
  ['edit', 'change', 'update', 'config', 'set'],
]
const mostGuesses = 3

/**
 * Suggests commands: those of the same topic with a similar meaning, else those with a similar spelling.
 * @param typed one word, or the words of a topic and one more. @param known commands as users type them.
 */
export function guessCommands(typed: string, known: readonly string[]): string[] {
  const words = typed.split(' ')
  const word = words.pop() ?? ''
  const topic = words.map(part => `${part} `).join('')
  const meant = topic === '' ? [] : synonyms.filter(group => group.includes(word)).flat()
  const sameMeaning = meant.map(other => topic + other).filter(command => known.includes(command))
  if (sameMeaning.length > 0) return [...new Set(sameMeaning)].slice(0, mostGuesses)
  // The topic dominates the spelling, so for a short word nearly every command of the topic would be similar.
  const below = known.filter(command => command.startsWith(topic)).map(command => command.slice(topic.length))
  const names = [...new Set(below.map(rest => rest.split(' ')[0] as string))]
  const similar = similarNames(word, names).map(name => topic + name)
  // People remember the verb and forget its topic: `blackbox` for `sessions blackbox`.
  return similar.length > 0 || topic !== ''
    ? similar
    : known.filter(command => command.endsWith(` ${word}`)).slice(0, mostGuesses)
}

/** Says that no project has a name, with similar ones; undefined if one has it, or for a path. */
export function unknownProject(
  given: string,
  projects: ReadonlyArray<{ name: string; key: string; keys: readonly string[] }>,
): string | undefined {
  if (isAbsolute(given)) return undefined
  const isKnown = projects.some(({ name, key, keys }) =>
    [name, key, ...keys].some(one => one === given || one.endsWith(`/${given}`)),
  )
  if (isKnown) return undefined
  const guesses = similarNames(given, [...new Set(projects.map(({ name }) => name))])
  const next = guesses.length > 0 ? `did you mean: ${guesses.join(', ')}` : 'memory projects lists them'
  return `No project is called "${plainLine(given)}"; ${next}`
}
