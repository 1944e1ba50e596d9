import { appendFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { follow, formatLogLine, lastLines } from '../../../../../src/cli/operations/daemon/logs.js'
import { colorsFor } from '../../../../../src/cli/terminal/output.js'
import { temporaryFolder } from '../../../../helpers/temporary-folder.js'

function logFile(t: ExecutionContext, text: string): string {
  const folder = temporaryFolder(t, 'memory-service-log')
  const file = join(folder, 'daemon.log')
  writeFileSync(file, text)
  return file
}

test('the last lines are decoded correctly across blocks', async t => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `${index} größer €`)
  const file = logFile(t, `${lines.join('\n')}\n`)
  t.deepEqual((await lastLines(file, 3)).lines, lines.slice(-3))
  t.deepEqual((await lastLines(file, 15_000)).lines, lines.slice(-15_000))
  t.deepEqual((await lastLines(file, 99_999)).lines, lines)
  t.deepEqual((await lastLines(file, 0)).lines, [])
})

test('an empty log has no lines, and a missing log is an error', async t => {
  t.deepEqual(await lastLines(logFile(t, ''), 5), { lines: [], end: 0 })
  await t.throwsAsync(lastLines('/no/such/file', 5), { code: 'ENOENT' })
})

test('following yields whole lines only, and continues after a rotation', async t => {
  const file = logFile(t, 'old\n')
  const aborter = new AbortController()
  const lines = follow(file, 4, aborter.signal)
  appendFileSync(file, 'one\ntw')
  t.is((await lines.next()).value, 'one')
  const next = lines.next()
  appendFileSync(file, 'o\n')
  t.is((await next).value, 'two')
  const rotated = lines.next()
  renameSync(file, `${file}.1`)
  writeFileSync(file, 'three\n')
  t.is((await rotated).value, 'three')
  const end = lines.next()
  aborter.abort()
  t.true((await end).done)
})

test('a JSON line is shown as time, level, message and fields; other text is unchanged', t => {
  const line = JSON.stringify({
    level: 30,
    time: '2026-01-01T00:00:00.000Z',
    pid: 1,
    msg: 'listening',
    port: 1,
  })
  const colors = colorsFor({ isTTY: false })
  t.is(formatLogLine(line, colors), '2026-01-01T00:00:00.000Z info  listening port=1')
  t.is(formatLogLine('Segmentation fault', colors), 'Segmentation fault')
})
