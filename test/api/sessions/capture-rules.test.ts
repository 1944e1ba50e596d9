import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { startDaemon, type TestDaemon } from '../../helpers/daemon.js'
import { openRaw } from '../../helpers/store.js'
import { temporaryFolder } from '../../helpers/temporary-folder.js'

/** Runs a session in a folder. @returns true if a row of it is stored */
async function leavesTraces(
  t: ExecutionContext,
  daemon: TestDaemon,
  cwd: string,
  harness = 'claude-code',
): Promise<boolean> {
  const body = { harness, sessionKey: `session of ${cwd} in ${harness}`, cwd }
  const start = await daemon.call('POST /api/hooks/session-start', { body })
  const transcript = 'user: the harbour crane is broken'
  const end = await daemon.call('POST /api/hooks/session-end', { body: { ...body, transcript } })
  const sessions = openRaw(t, daemon.paths.database)
    .prepare('SELECT count(*) FROM sessions WHERE session_key = ?')
    .pluck()
    .get(body.sessionKey)
  const isLeftOut = 'bypassed' in start.body && 'bypassed' in end.body
  t.is(isLeftOut, sessions === 0, cwd)
  return !isLeftOut
}

function foldersOf(t: ExecutionContext, ...names: string[]): string[] {
  const root = realpathSync(temporaryFolder(t, 'memory-service-capture'))
  return names.map(name => {
    mkdirSync(join(root, name), { recursive: true })
    return join(root, name)
  })
}

test('rules leave out projects, folders and agents, and the last that fits decides (sessions.md#capture-rules)', async t => {
  const [shop = '', client = '', open = '', deep = ''] = foldersOf(
    t,
    'shop',
    'clients/acme',
    'clients/open',
    'clients/open/deep',
  )
  const rules = [
    { exclude: { folder: join(client, '..') } },
    { include: { folder: open } },
    { exclude: { agent: 'cursor' } },
    { exclude: { project: 'till' } },
  ]
  const daemon = await startDaemon(t, { settings: { capture: { rules } } })
  t.true(await leavesTraces(t, daemon, shop))
  t.false(await leavesTraces(t, daemon, client))
  t.true(await leavesTraces(t, daemon, deep))
  t.false(await leavesTraces(t, daemon, shop, 'cursor'))
  const till = { harness: 'codex', sessionKey: 's', project: 'till' }
  t.true((await daemon.call('POST /api/hooks/session-start', { body: till })).body.bypassed)
  const { body } = await daemon.call('GET /api/sessions/capture', { query: { cwd: client } })
  t.like(body, { mode: 'on', isCaptured: false, by: JSON.stringify(rules[0]), leftOut: 5 })
  t.is(body.project?.name, 'acme')
  t.true((await daemon.call('GET /api/sessions/capture', { query: { cwd: shop } })).body.isCaptured)
  const names = openRaw(t, daemon.paths.database).prepare('SELECT key FROM projects').pluck().all()
  t.false(JSON.stringify(names).includes('acme'), 'a project that is left out leaves no name')
})

test('mode off captures only what a rule includes (sessions.md#capture-rules)', async t => {
  const [shop = '', till = ''] = foldersOf(t, 'shop', 'till')
  const capture = { mode: 'off', rules: [{ include: { folder: `${shop}/**` } }] }
  const daemon = await startDaemon(t, { settings: { capture } })
  t.true(await leavesTraces(t, daemon, shop))
  t.false(await leavesTraces(t, daemon, till))
})

test('.memory.yaml of a project leaves it out, whatever rules say (sessions.md#capture-rules)', async t => {
  const [shop = '', part = ''] = foldersOf(t, 'shop', 'shop/src')
  const daemon = await startDaemon(t, { settings: { capture: { rules: [{ include: { folder: shop } }] } } })
  t.true(await leavesTraces(t, daemon, part))
  writeFileSync(join(shop, '.memory.yaml'), 'capture: off\n')
  t.false(await leavesTraces(t, daemon, part, 'codex'))
  t.is((await daemon.call('GET /api/sessions/capture', { query: { cwd: part } })).body.by, '.memory.yaml')
})

test('a branch can be left out (sessions.md#capture-rules)', async t => {
  const [shop = ''] = foldersOf(t, 'shop')
  const git = (...words: string[]) => execFileSync('git', words, { cwd: shop, stdio: 'ignore' })
  git('init', '-b', 'main')
  const rules = [{ exclude: { branch: 'secret/*' } }]
  const daemon = await startDaemon(t, { settings: { capture: { rules } } })
  t.true(await leavesTraces(t, daemon, shop))
  git('checkout', '-b', 'secret/plan')
  t.false(await leavesTraces(t, daemon, shop, 'codex'))
})

test('faulty rules are refused with the reason (sessions.md#capture-rules)', async t => {
  const daemon = await startDaemon(t)
  const { version } = (await daemon.call('GET /api/settings')).body
  for (const rules of ['[{exclude: {}}]', '[{exclude: {colour: red}}]', '[{hide: {agent: codex}}]']) {
    const body = { text: `capture:\n  rules: ${rules}\n`, version, dryRun: true }
    const check = (await daemon.call('POST /api/settings', { body })).body
    t.true(check.errors.length > 0, rules)
  }
})
