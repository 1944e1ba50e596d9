// runs: alone

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { createAuditLog } from '../../../../../src/daemon/platform/plugins/audit-log.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
import { manualTime } from '../../../../helpers/manual-time.js'

const happened = {
  event: 'plugin.enabled',
  pluginId: 'service.secrets',
  result: 'ok',
  source: 'api',
} as const
const everything = { limit: 500 }

function open(
  t: ExecutionContext,
  file = join(temporaryWorkspace(t), 'plugins', 'audit-v1.ndjson'),
  maxBytes = 1e6,
) {
  const { clock, advance } = manualTime()
  let lastId = 0
  const newId = () => `${process.hrtime.bigint()}-${lastId++}`
  const audit = createAuditLog({ file, clock, newId, log: pino({ level: 'silent' }), maxBytes })
  return { audit, file, advance }
}

test('an appended event can be read at once, newest first', async t => {
  const { audit } = open(t)
  for (const pluginId of ['a', 'b', 'c']) audit.append({ ...happened, pluginId })
  t.deepEqual(
    (await audit.read(everything)).map(({ pluginId }) => pluginId),
    ['c', 'b', 'a'],
  )
  t.is((await audit.read({ limit: 2 })).length, 2)
})

test('a truncated line is skipped, and the next event starts a new line', async t => {
  const first = open(t)
  first.audit.append(happened)
  await first.audit.written()
  appendFileSync(first.file, '{"id":"torn","timest')
  const { audit } = open(t, first.file)
  audit.append({ ...happened, event: 'plugin.disabled' })
  t.deepEqual(
    (await audit.read(everything)).map(({ event }) => event),
    ['plugin.disabled', 'plugin.enabled'],
  )
})

test('a file without events is renamed, not deleted', async t => {
  const { audit, file } = open(t)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, 'this is\nno audit log\n')
  audit.append(happened)
  t.is((await audit.read(everything)).length, 1)
  const aside = readdirSync(dirname(file)).find(name => name.includes('.broken-')) ?? ''
  t.is(readFileSync(join(dirname(file), aside), 'utf8'), 'this is\nno audit log\n')
})

test('a folder in place of the file is renamed', async t => {
  const { audit, file } = open(t)
  mkdirSync(file, { recursive: true })
  audit.append(happened)
  t.is((await audit.read(everything)).length, 1)
})

test('a file readable by others becomes private', async t => {
  const first = open(t)
  mkdirSync(dirname(first.file), { recursive: true })
  writeFileSync(first.file, '', { mode: 0o644 })
  first.audit.append(happened)
  await first.audit.written()
  t.is(statSync(first.file).mode & 0o777, 0o600)
})

test('a too large file is rotated, and reading includes both files', async t => {
  const { audit, file } = open(t, undefined, 2000)
  for (let number = 0; number < 40; number++) {
    audit.append({ ...happened, data: { number } })
    await audit.written()
  }
  t.true(existsSync(`${file}.1`))
  t.true(statSync(file).size + statSync(`${file}.1`).size < 5000)
  const numbers = (await audit.read(everything)).map(({ data }) => data.number)
  t.deepEqual(
    numbers,
    numbers.map((_, position) => 39 - position),
  )
  t.true(numbers.length > 10)
})

test('a credential is redacted when written: under its key, in a list and in a text', async t => {
  const { audit, file } = open(t)
  const apiKey = `sk-${'a1b2c3d4'.repeat(4)}`
  audit.append({
    ...happened,
    data: {
      apiKey: 'hunter2',
      nested: { Authorization: 'Basic Zm9v', list: [{ password: 'swordfish' }] },
      sessionKey: 'one',
      message: `the key ${apiKey} was refused`,
      name: 'DATABASE_URL',
    },
  })
  const [event] = await audit.read(everything)
  t.deepEqual(event?.data, {
    apiKey: '[REDACTED]',
    nested: { Authorization: '[REDACTED]', list: [{ password: '[REDACTED]' }] },
    sessionKey: '[REDACTED]',
    message: 'the key [secret] was refused',
    name: 'DATABASE_URL',
  })
  t.notRegex(readFileSync(file, 'utf8'), /hunter2|Zm9v|swordfish|sk-a1/u)
})

test('a credential written by an older version is redacted when read', async t => {
  const { audit, file } = open(t)
  mkdirSync(dirname(file), { recursive: true })
  const event = { id: 'one', timestamp: '2026-01-01T00:00:00.000Z', ...happened, data: { token: 'hunter2' } }
  writeFileSync(file, `${JSON.stringify(event)}\n`)
  t.deepEqual((await audit.read(everything))[0]?.data, { token: '[REDACTED]' })
})

test('data too large for a line or not valid JSON is left out of its event', async t => {
  const { audit, file } = open(t)
  const wide = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`field${at}`, 'x'.repeat(900)]))
  audit.append({ ...happened, data: wide })
  audit.append({ ...happened, data: { count: 10n, when: new Date(0), nothing: undefined } })
  const events = await audit.read(everything)
  t.is(events.length, 2)
  t.is(events[0]?.data.count, '10')
  t.true(statSync(file).size < 2000)
})

test('an unwritable log throws nothing and reads as empty', async t => {
  const folder = temporaryWorkspace(t)
  writeFileSync(join(folder, 'plugins'), 'a file')
  const { audit } = open(t, join(folder, 'plugins', 'audit-v1.ndjson'))
  audit.append(happened)
  await t.notThrowsAsync(audit.written())
})
