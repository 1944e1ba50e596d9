import { call } from '../../../client/call.js'
import type { CallOptions } from '../../../client/http/call-options.js'
import type { Reply } from '../../../contract/api.js'
import { similarNames } from '../../../lib/text/similar-names.js'
import { hasIdPart, isIdPart } from '../../../lib/text/uuid.js'
import { CliError } from '../../shell/cli-error.js'
import { colorsFor, print } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'
import { nextText, type Task } from './task-text.js'

/**
 * Finds a task by its id, its unique name, or a unique part of its id.
 * @throws CliError `not_found`, or `ambiguous` with the ids.
 */
export function findTask(tasks: readonly Task[], word: string): Task {
  const byId = tasks.find(({ id }) => id === word)
  if (byId) return byId
  const named = tasks.filter(({ name }) => name === word)
  const meant = named.length === 0 && isIdPart(word) ? tasks.filter(({ id }) => hasIdPart(id, word)) : named
  const [first] = meant
  if (first && meant.length === 1) return first
  if (meant.length > 1)
    throw new CliError(`${meant.length} tasks have the ${named.length > 0 ? 'name' : 'id'} "${word}"`, {
      code: 'ambiguous',
      exit: 'usage',
      nextSteps: meant.map(({ id, name }) => `use an id: ${id} (${plainLine(name)})`),
    })
  const guesses = similarNames(
    word,
    tasks.map(({ name }) => name),
  )
  throw new CliError(`unknown task "${word}"`, {
    code: 'not_found',
    exit: 'notFound',
    nextSteps: [...guesses.map(guess => `did you mean: ${guess}`), 'memory tasks list'],
  })
}

/** Enables or disables a task and prints its next time. @param word its id or name. */
export async function switchTask(
  word: string,
  { enabled, json, reach }: { enabled: boolean; json: boolean; reach: CallOptions },
): Promise<Reply<'PATCH /api/tasks/:id'>> {
  const { id } = findTask((await call('GET /api/tasks', {}, reach)).tasks, word)
  const reply = await call('PATCH /api/tasks/:id', { params: { id }, body: { enabled } }, reach)
  const { task } = reply
  const state = enabled ? `is enabled, next run ${nextText(task, Date.now())}` : 'is disabled'
  if (!json) print(`${colorsFor().green('✓')} ${plainLine(task.name)} ${state}`)
  return reply
}
