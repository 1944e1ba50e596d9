// runs: in turn

import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import {
  createSessionFiles,
  type SessionFiles,
} from '../../../../../src/daemon/sessions/harness/session-files.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
import { nativeInput, relay } from './relay.js'

const sessionKey = '0198f3c2-7c11-7000-8000-00000000abcd'

const filesOf = (t: ExecutionContext, environment: NodeJS.ProcessEnv = {}): SessionFiles =>
  createSessionFiles({
    log: pino({ level: 'silent' }),
    paths: workspacePaths(temporaryWorkspace(t)),
    environment,
  })

/** Creates a Claude Code session with its file; `event` is the input of a hook. */
function openSession(t: ExecutionContext, name = `${sessionKey}.jsonl`) {
  const path = join(temporaryWorkspace(t), name)
  const write = (...turns: [role: string, text: string][]): void => {
    for (const [role, content] of turns)
      appendFileSync(path, `${JSON.stringify({ type: role, message: { role, content } })}\n`)
  }
  write(['user', 'why does the build fail'], ['assistant', 'The cache is stale.'])
  const files = filesOf(t)
  const event = { sessionKey, name: 'Stop', transcriptPath: path }
  return { path, write, files, event }
}

test('the conversation is read from the file of the harness', async t => {
  const { files, event } = openSession(t)
  t.deepEqual(await files.conversation(event), [
    { role: 'user', text: 'why does the build fail', at: null },
    { role: 'assistant', text: 'The cache is stale.', at: null },
  ])
})

test('the last answer is added once if the file lacks it', async t => {
  const late = openSession(t)
  const turns = await late.files.conversation({ ...late.event, lastAssistantMessage: 'Cleared it.' })
  t.deepEqual(turns?.at(-1), { role: 'assistant', text: 'Cleared it.', at: null })
  const { files, event } = openSession(t)
  t.is((await files.conversation({ ...event, lastAssistantMessage: 'The cache is stale.' }))?.length, 2)
})

test('a file is read again only after enough growth', async t => {
  const { files, event, write } = openSession(t)
  t.is((await files.conversation(event))?.length, 2)
  write(['user', 'and now?'])
  t.is(await files.conversation(event), undefined)
  write(['assistant', 'x'.repeat(16 * 1024)])
  t.is((await files.conversation(event))?.length, 4)
})

test('a conversation still being read at the end of its session is too late', async t => {
  const { files, event, write } = openSession(t)
  for (let n = 0; n < 50; n++) write(['user', 'x'.repeat(20_000)])
  let done = false
  const conversation = files.conversation(event).finally(() => {
    done = true
  })
  while (!done) {
    files.ended(event)
    await nextTurn()
  }
  t.is(await conversation, 'over')
})

test('a checkpoint does not revive an ended session', async t => {
  const { files } = openSession(t)
  const late = { ...files, conversation: async () => 'over' as const }
  const input = nativeInput('Stop', { session_id: sessionKey })
  t.is((await relay('claude-code', 'session-checkpoint-extract', input, { files: late })).asked, undefined)
})

test('a session that ended and continues is read again', async t => {
  const { files, event } = openSession(t)
  await files.conversation(event)
  await relay('claude-code', 'session-end', nativeInput('SessionEnd', { session_id: sessionKey }), { files })
  t.is((await files.conversation(event))?.length, 2)
})

for (const name of ['notes.jsonl', `${sessionKey}.txt`, `${sessionKey}`])
  test(`a file called ${name.replace(sessionKey, '<session>')} does not belong to the session`, async t => {
    const { files, event } = openSession(t, name)
    t.is(await files.conversation(event), undefined)
  })

test('a short session key matches no file', async t => {
  const { files, event } = openSession(t, 's.jsonl')
  t.is(await files.conversation({ ...event, sessionKey: 's' }), undefined)
})

test('a folder, a missing file and other text yield nothing', async t => {
  const { files, event, path } = openSession(t)
  const folder = join(path, '..', `x-${sessionKey}.jsonl`)
  mkdirSync(folder)
  t.is(await files.conversation({ ...event, transcriptPath: folder }), undefined)
  t.is(await files.conversation({ ...event, transcriptPath: `${path}.${sessionKey}.jsonl` }), undefined)
  writeFileSync(path, 'root:x:0:0\nuser: hello\n')
  t.is(await files.conversation(event), undefined)
})

test('the summary of a Codex compaction comes from its rollout', async t => {
  const path = join(temporaryWorkspace(t), `rollout-2026-01-31T09-00-00-${sessionKey}.jsonl`)
  writeFileSync(path, `${JSON.stringify({ type: 'compacted', payload: { message: 'We chose SQLite.' } })}\n`)
  const files = filesOf(t)
  const input = nativeInput('PostCompact', { session_id: sessionKey, transcript_path: path, trigger: 'auto' })
  const { asked, text } = await relay('codex', 'compaction-complete', input, { files })
  t.is(asked?.body.summary, 'We chose SQLite.')
  t.is(text, '')
})

test('a checkpoint carries the conversation, because the API reads no files of a harness (rules.md 4.10)', async t => {
  const { files, path } = openSession(t)
  const input = nativeInput('Stop', { session_id: sessionKey, transcript_path: path })
  const { asked } = await relay('claude-code', 'session-checkpoint-extract', input, { files })
  t.is(asked?.body.transcript.length, 2)
})

/** Creates a Copilot CLI session log in its own folder. */
function copilotLog(t: ExecutionContext) {
  const home = temporaryWorkspace(t)
  const folder = join(home, 'session-state', sessionKey)
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'events.jsonl')
  const said = { type: 'user.message', data: { content: 'why does the build fail' } }
  writeFileSync(path, `${JSON.stringify(said)}\n`)
  return { home, path, event: { sessionKey, name: 'agentStop', transcriptPath: path } }
}

test('the log of Copilot CLI is found by its folder', async t => {
  const { event } = copilotLog(t)
  t.deepEqual(await filesOf(t).conversation(event), [
    { role: 'user', text: 'why does the build fail', at: null },
  ])
  t.is(await filesOf(t).conversation({ ...event, sessionKey: 'another-session' }), undefined)
})

test('the final event of Copilot CLI names no log, so an earlier or the usual path is used', t => {
  const { home, path, event } = copilotLog(t)
  const end = { sessionKey, name: 'sessionEnd' }
  t.is(filesOf(t, { COPILOT_HOME: home }).pathOf('copilot', end), path)
  const files = filesOf(t, { COPILOT_HOME: '/elsewhere' })
  files.pathOf('copilot', event)
  t.is(files.pathOf('copilot', end), path)
  t.is(files.pathOf('copilot', { ...end, sessionKey: '../../secrets' }), undefined)
  t.is(files.pathOf('claude-code', end), undefined)
})
