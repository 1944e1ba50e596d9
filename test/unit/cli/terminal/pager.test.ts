import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { pagerFor, printLong } from '../../../../src/cli/terminal/pager.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

const long = Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\n')
const terminal = { env: {}, platform: 'linux' as const, stdout: { isTTY: true, rows: 24 } }

test('a long text on a terminal has a pager, chosen as git and gh choose it', t => {
  t.is(pagerFor(long, terminal), 'less')
  t.is(pagerFor(long, { ...terminal, env: { PAGER: 'more' } }), 'more')
  t.is(pagerFor(long, { ...terminal, env: { PAGER: 'more', MEMORY_PAGER: 'less -R' } }), 'less -R')
  t.is(pagerFor(long, { ...terminal, platform: 'win32' }), undefined)
})

test('pipes, short texts, dumb terminals, cat and an empty setting have none', t => {
  t.is(pagerFor(long, { ...terminal, stdout: { rows: 24 } }), undefined)
  t.is(pagerFor('short', terminal), undefined)
  t.is(pagerFor(long, { ...terminal, stdout: { isTTY: true, rows: 60 } }), undefined)
  for (const env of [{ TERM: 'dumb' }, { PAGER: 'cat' }, { PAGER: '' }, { PAGER: 'less', MEMORY_PAGER: '' }])
    t.is(pagerFor(long, { ...terminal, env }), undefined, JSON.stringify(env))
})

if (process.platform !== 'win32')
  test('the pager gets the whole text, in a shell where its words need one', async t => {
    const file = join(temporaryFolder(t, 'pager'), 'shown')
    const written: string[] = []
    const env = { ...process.env, PAGER: `cat > '${file}'` }
    await printLong(long, { ...terminal, env, write: text => written.push(text) })
    t.is(readFileSync(file, 'utf8'), `${long}\n`)
    t.deepEqual(written, [])
  })

test('a pager that is missing loses nothing', async t => {
  const written: string[] = []
  const env = { ...process.env, PAGER: 'no-such-pager -x' }
  await printLong(long, { ...terminal, env, write: text => written.push(text) })
  t.deepEqual(written, [long])
})
