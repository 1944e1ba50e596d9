import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { copyText } from '../../../../src/cli/terminal/clipboard.js'

test('a terminal gets the text as one sequence, where no desktop is', async t => {
  const written: string[] = []
  const arrived = await copyText('Grüße\u001b', {
    env: {},
    platform: 'linux',
    write: text => written.push(text),
  })
  t.false(arrived)
  t.is(written.length, 1)
  const [start, end] = ['\u001b]52;c;', '\u0007'] as const
  t.true(written[0]!.startsWith(start) && written[0]!.endsWith(end))
  const encoded = written[0]!.slice(start.length, -end.length)
  t.is(Buffer.from(encoded, 'base64').toString(), 'Grüße\u001b')
})

if (process.platform === 'linux')
  test.serial('a program of the desktop takes the text', async t => {
    const folder = mkdtempSync(join(tmpdir(), 'clipboard-'))
    const program = join(folder, 'wl-copy')
    writeFileSync(program, `#!/bin/sh\ncat > ${join(folder, 'text')}\n`)
    chmodSync(program, 0o755)
    const path = process.env.PATH
    process.env.PATH = `${folder}:${path}`
    t.teardown(() => {
      process.env.PATH = path
    })
    t.true(
      await copyText('one\ntwo', { env: { WAYLAND_DISPLAY: 'w' }, platform: 'linux', write: () => true }),
    )
    t.is(readFileSync(join(folder, 'text'), 'utf8'), 'one\ntwo')
  })
