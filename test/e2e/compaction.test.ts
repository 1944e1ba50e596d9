// runs: in turn

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import type { CompactionReply } from '../../src/contract/sessions/hooks.js'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../helpers/daemon.js'
import { spawnDaemon, until } from '../helpers/daemon-process.js'
import { openRaw } from '../helpers/store.js'

const environment = { SERVICE_NO_AUTOSTART: '1' }

async function complete(url: string, n: number): Promise<CompactionReply> {
  const response = await fetch(`${url}/api/hooks/compaction-complete`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      harness: 'codex',
      sessionKey: `session ${n}`,
      summary: `summary of session ${n}`,
    }),
  })
  return (await response.json()) as CompactionReply
}

test('a kill -9 during many compactions leaves none partial, and a retry completes it', async t => {
  const workspace = temporaryWorkspace(t)
  const first = spawnDaemon(t, workspace, environment)
  const { url } = await first.ready()
  const acknowledged = new Map<number, CompactionReply>()
  const asked: number[] = []
  const writer = async (): Promise<void> => {
    for (;;) {
      const n = asked.push(asked.length) - 1
      try {
        acknowledged.set(n, await complete(url, n))
      } catch {
        return
      }
      if (acknowledged.size === 40) first.child.kill('SIGKILL')
    }
  }
  await Promise.all([writer(), writer(), writer(), writer()])
  t.true(acknowledged.size >= 40)
  const again = await spawnDaemon(t, workspace, environment).ready()
  const raw = openRaw(t, workspacePaths(workspace).database)
  const open = raw.prepare('SELECT count(*) FROM compactions WHERE document IS NOT NULL').pluck()
  await until(() => open.get() === 0 || undefined)
  const rows = raw.prepare('SELECT path, context_epoch, session_key FROM compactions').all() as {
    path: string
    context_epoch: number | null
    session_key: string
  }[]
  for (const { path, context_epoch, session_key } of rows) {
    t.is(context_epoch, 1)
    t.true(readFileSync(join(workspace, path), 'utf8').endsWith(`\n\nsummary of ${session_key}\n`))
  }
  for (const n of asked) {
    const retried = await complete(again.url, n)
    t.is(retried.contextEpoch, 1)
    if (acknowledged.has(n)) t.deepEqual(retried, acknowledged.get(n))
  }
  t.is(raw.prepare('SELECT count(*) FROM compactions').pluck().get(), asked.length)
  t.is(raw.prepare('SELECT count(*) FROM memories').pluck().get(), asked.length)
})
