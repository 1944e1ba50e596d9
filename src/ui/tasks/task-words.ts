import type { Reply } from '../../contract/api.js'
import { agentLine } from '../../lib/text/agent-lines.js'

export type Task = Reply<'GET /api/tasks'>['tasks'][number]
export type Run = Reply<'GET /api/tasks/:id'>['runs'][number]

export const runTones = {
  pending: 'warn',
  running: 'warn',
  completed: 'good',
  failed: 'bad',
  timeout: 'bad',
} as const

export function isOpen(status: Run['status'] | null): boolean {
  return status === 'pending' || status === 'running'
}

const moment = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

/** `Thu, 26 Nov, 09:00`, in the time zone of who looks. */
export function momentWords(at: string): string {
  return moment.format(new Date(at))
}

/** What an agent did, line by line, of what it wrote; lines that say nothing to a person are left out. */
export function toldOutput(output: string): string {
  return output
    .split('\n')
    .map(agentLine)
    .filter(line => line !== undefined && line !== '')
    .join('\n')
}
