import { call } from '../../../client/call.js'
import type { CallOptions } from '../../../client/call-options.js'
import type { Reply } from '../../../contract/api.js'
import { colorsFor, print } from '../../terminal/output.js'
import { plainLine } from '../../terminal/text.js'
import { findTask } from './find-task.js'
import { nextText } from './task-text.js'

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
