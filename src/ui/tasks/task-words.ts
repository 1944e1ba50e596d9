import type { Reply } from '../../contract/api.js'

export type Task = Reply<'GET /api/tasks'>['tasks'][number]
export type Run = Reply<'GET /api/tasks/:id'>['runs'][number]

/** What people call the agents that tasks start. */
export const harnessNames: Readonly<Record<Task['harness'], string>> = {
  harness_a: 'Claude Code',
  harness_b: 'Codex',
  harness_c: 'OpenCode',
}

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
