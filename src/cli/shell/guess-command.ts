import { similarNames } from '../../lib/text/similar-names.js'

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
 * @param typed one word, or a topic and a word. @param known commands as users type them.
 */
export function guessCommands(typed: string, known: readonly string[]): string[] {
  const [topic = '', word] = typed.split(' ')
  const words = word === undefined ? [] : synonyms.filter(group => group.includes(word)).flat()
  const meant = words.map(other => `${topic} ${other}`).filter(command => known.includes(command))
  // The topic dominates the spelling, so for a short word nearly every command of the topic would be similar.
  return meant.length > 0 ? [...new Set(meant)].slice(0, mostGuesses) : similarNames(typed, known)
}
