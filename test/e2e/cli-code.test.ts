import test from 'ava'
import { runHere } from '../helpers/commands-here.js'
import { codeProject, indexesIn } from '../helpers/indexed-project.js'

test('a project is indexed, queried and cleared from a terminal (code-index.md 13)', async t => {
  const { root, put } = codeProject(t)
  const run = (...args: string[]) => runHere(t, ['code', ...args], { folder: root })
  const off = await run('index')
  t.is(off.code, 4)
  t.regex(off.stderr, /memory plugins enable service\.codeindex/u)
  t.is((await runHere(t, ['plugins', 'enable', 'service.codeindex'])).code, 0)
  const unread = await run('search', 'crane')
  t.is(unread.code, 4)
  t.regex(unread.stderr, /memory code index/u)
  const read = await run('index')
  t.is(read.code, 0, read.stderr)
  t.regex(read.stdout, /^Indexed {2}3 files, \d+ symbols, \d+ edges; 3 read in this run$/mu)
  t.regex((await run('search', 'openStore')).stdout, /^function\topenStore\tsrc\/store\.ts\t2\t/u)
  t.regex(
    (await run('context', 'openStore')).stdout,
    /Used by \(1\)\n {2}liftContainer {2}call at src\/crane\.ts:6/u,
  )
  const blast = await run('blast', 'openStore')
  t.regex(blast.stdout, /└─ liftContainer {2}call at src\/crane\.ts:6\n {3}└─ main {2}call at/u)
  t.false(blast.stdout.includes(String.fromCharCode(27)))
  t.is((await run('blast', 'openStore', '--json')).json().nodes.length, 2)
  t.is((await run('blast', 'nothingLikeIt')).code, 3)
  t.regex((await run('constants', 'limit')).stdout, /^craneLimitTons\t40\tsrc\/crane\.ts\t3$/mu)
  t.regex((await run('briefing', '--compact')).stdout, /^harbour \(/u)
  t.regex((await run('status')).stdout, /^files +3, 0 failed, 0 skipped$/mu)
  put('src/crane.ts', 'export {}\n')
  const doctor = await run('doctor')
  t.is(doctor.code, 6)
  t.regex(doctor.stdout, /src\/crane\.ts +changed/u)
  t.is((await run('clear')).code, 2)
  t.is((await run('clear', '--yes')).stdout.trim(), 'Deleted the index')
  t.deepEqual(indexesIn(root), [])
})
