import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { AppError } from '../../../../../src/contract/ground/errors.js'
import { CommandJobs } from '../../../../../src/daemon/secrets/exec/command-jobs.js'
import { LoopBudget } from '../../../../../src/lib/concurrency/loop-budget.js'
import { systemTimers } from '../../../../../src/lib/time/timers.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { nodesTable } from '../../../../../src/store/tables/platform/nodes.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
import { until } from '../../../../helpers/daemon-process.js'

const limits = { running: 1, unfinished: 10, kept: 2, keptMs: 60_000, keptLength: 1000, unreadMs: 50 }

/** A locked password manager, one that never answers, and a store that has every secret. */
async function resolve(reference: string): Promise<string> {
  if (reference.endsWith('/SLOW')) return new Promise(() => undefined)
  if (reference.startsWith('vaulta:')) throw new AppError('conflict', 'the password manager is locked')
  return `value of ${reference}`
}

function open(t: ExecutionContext, changed: Partial<typeof limits> = {}) {
  const time = { now: Date.parse('2026-01-01T00:00:00Z'), ids: 0 }
  const jobs = new CommandJobs(
    {
      paths: workspacePaths(temporaryWorkspace(t)),
      log: pino({ level: 'silent' }),
      environment: { PATH: process.env.PATH },
      secrets: {
        resolve,
        isHere: (reference: string) => !reference.startsWith('vaulta:'),
        store: { names: async () => [] },
      } as never,
      plugins: { audit: () => undefined } as never,
      budget: new LoopBudget(),
      clock: () => new Date(time.now),
      newId: () => `job-${++time.ids}`,
      store: { tables: { nodes: nodesTable(undefined as never, null) } } as never,
    },
    { ...limits, ...changed },
    systemTimers,
  )
  t.teardown(() => jobs.close())
  const run = async (command: string, attached = false, reference = 'NAME') => {
    const body = { command, secrets: { K: reference }, timeoutMs: 60_000, attached }
    return jobs.find((await jobs.admit({ actor: 'ada', peer: undefined }, body)).id)
  }
  const toEnd = async (command: string) => {
    const job = await run(command)
    await until(() => job.hasEnded || undefined)
    return job
  }
  return { jobs, time, run, toEnd }
}

test('ended commands are kept for a limited time (secret-commands.md 4)', async t => {
  const { jobs, time, toEnd } = open(t)
  const { id } = await toEnd('true')
  time.now += limits.keptMs
  t.is((await jobs.find(id)).state.status, 'completed')
  time.now += 1
  await t.throwsAsync(jobs.find(id), { message: /job-1.* 1 minutes/ })
})

test('ended commands are kept up to a number and a total size (secret-commands.md 4)', async t => {
  const { jobs, toEnd } = open(t)
  await toEnd('true')
  await toEnd('true')
  await toEnd('true')
  await t.throwsAsync(jobs.find('job-1'))
  t.is((await jobs.find('job-2')).id, 'job-2')
  await toEnd('printf %0900d 0')
  await toEnd('printf %0900d 0')
  await t.throwsAsync(jobs.find('job-4'))
  t.is((await jobs.find('job-5')).size, 900)
})

test('commands run in the order of their requests (secret-commands.md 4)', async t => {
  const { run } = open(t)
  const first = await run('until [ -e go ]; do sleep 0.01; done; echo 1 >> order')
  const all = [first, await run('echo 2 >> order'), await run('echo 3 >> order')]
  const folder = first.request.cwd
  writeFileSync(join(folder, 'go'), '')
  await until(() => all.every(job => job.hasEnded) || undefined)
  t.is(readFileSync(join(folder, 'order'), 'utf8'), '1\n2\n3\n')
})

test('an attached command without a reader fails (secret-commands.md 4)', async t => {
  const { run } = open(t)
  const job = await run('true', true)
  await until(() => job.hasEnded || undefined)
  t.like(job.state, { status: 'failed', error: 'its output had no reader' })
})

test('a secret refused by a password manager fails its command with the reason (secret-commands.md 1)', async t => {
  const { run } = open(t)
  const job = await run('true', false, 'vaulta://name/NAME')
  await until(() => job.hasEnded || undefined)
  t.like(job.state, { status: 'failed', error: 'the password manager is locked' })
})

test('cancelling a command during a password manager request ends it at once (secret-commands.md 4)', async t => {
  const { jobs, run } = open(t)
  const job = await run('true', false, 'vaulta://name/SLOW')
  t.is(job.state.status, 'running')
  t.like((await jobs.cancel(job.id)).state, { status: 'failed', error: 'the command was cancelled' })
})
