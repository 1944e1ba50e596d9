import { nearest } from './nearest.js'

/** Words that mean about the same: what one topic calls so, another calls otherwise. */
const alike: readonly (readonly string[])[] = [
  ['list', 'ls', 'show', 'get', 'read', 'view', 'inbox', 'status'],
  ['remove', 'rm', 'delete', 'del', 'uninstall', 'revoke'],
  ['add', 'create', 'new', 'install', 'init', 'set'],
  ['cancel', 'stop', 'kill', 'abort', 'pause'],
  ['run', 'start', 'trigger', 'resume'],
  ['edit', 'change', 'update', 'config', 'set'],
]
const mostGuesses = 3

/**
 * Commands that somebody may have meant: those of the same topic that mean the same, else those spelled nearly so.
 * @param typed one word, or a topic and a word. @param known commands as they are typed.
 */
export function guessCommands(typed: string, known: readonly string[]): string[] {
  const [topic = '', word] = typed.split(' ')
  const words = word === undefined ? [] : alike.filter(group => group.includes(word)).flat()
  const meant = words.map(other => `${topic} ${other}`).filter(command => known.includes(command))
  // Most letters of both are the topic's, so that nearly every command of a short word is near.
  return meant.length > 0 ? [...new Set(meant)].slice(0, mostGuesses) : nearest(typed, known)
}
