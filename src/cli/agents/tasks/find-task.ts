import { call } from '../../../client/call.js'
import type { CallOptions } from '../../../client/http/call-options.js'
import type { Reply } from '../../../contract/api.js'
import { CliError } from '../../shell/cli-error.js'
import { nearest } from '../../shell/nearest.js'
import { colorsFor, print } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'
import { nextText, type Task } from './task-text.js'

/**
 * The task that a person means: by its id, or by a name that one task alone has.
 * @throws CliError `not_found`, or `ambiguous` with the ids.
 */
export function findTask(tasks: readonly Task[], word: string): Task {
  const byId = tasks.find(({ id }) => id === word)
  if (byId) return byId
  const named = tasks.filter(({ name }) => name === word)
  const [first] = named
  if (first && named.length === 1) return first
  if (named.length > 1)
    throw new CliError(`${named.length} tasks are called "${word}"`, {
      code: 'ambiguous',
      exit: 'usage',
      nextSteps: named.map(({ id }) => `name it by its id: ${id}`),
    })
  const guesses = nearest(
    word,
    tasks.map(({ name }) => name),
  )
  throw new CliError(`there is no task "${word}"`, {
    code: 'not_found',
    exit: 'notFound',
    nextSteps: [...guesses.map(guess => `did you mean: ${guess}`), 'memory tasks list'],
  })
}

/** Switches a task on or off and tells when it comes next. @param word its id or name. */
export async function switchTask(
  word: string,
  { enabled, json, reach }: { enabled: boolean; json: boolean; reach: CallOptions },
): Promise<Reply<'PATCH /api/tasks/:id'>> {
  const { id } = findTask((await call('GET /api/tasks', {}, reach)).tasks, word)
  const reply = await call('PATCH /api/tasks/:id', { params: { id }, body: { enabled } }, reach)
  const { task } = reply
  const state = enabled ? `is on, next ${nextText(task, Date.now())}` : 'is off'
  if (!json) print(`${colorsFor().green('✓')} ${plainLine(task.name)} ${state}`)
  return reply
}
