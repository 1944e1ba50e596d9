import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { ignoreRules } from '../../../../src/lib/files/ignore-files.js'
import { cpuMsOf } from '../../../helpers/cpu-time.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

/** Windows has no mkfifo. */
const unix = process.platform === 'win32' ? test.skip : test

unix('ignore files that are devices, pipes, links or huge are left out without waiting', async t => {
  const root = temporaryFolder(t)
  const make: Record<string, (file: string) => void> = {
    device: file => symlinkSync('/dev/ptmx', file),
    zeros: file => symlinkSync('/dev/zero', file),
    pipe: file => execFileSync('mkfifo', [file]),
    large: file => {
      writeFileSync(file, '')
      truncateSync(file, 2 ** 40)
    },
    ordinary: file => writeFileSync(file, 'a.txt\n'),
  }
  for (const [name, create] of Object.entries(make)) {
    const folder = join(root, name)
    mkdirSync(folder)
    create(join(folder, '.gitignore'))
    for (let times = 0; times < 5; times++)
      t.is((await ignoreRules(folder)).ignores(join(folder, 'a.txt'), 'file'), name === 'ordinary', name)
  }
})

test('a pattern with many wildcards is left out, because it would take forever', async t => {
  const root = temporaryFolder(t)
  writeFileSync(join(root, '.gitignore'), `${'*a'.repeat(20)}*b\n${'**/a/'.repeat(20)}b\n*.log\n`)
  const rules = await ignoreRules(root)
  const ms = cpuMsOf(() => {
    t.false(rules.ignores(join(root, 'a'.repeat(250)), 'file'))
    t.false(rules.ignores(join(root, 'a/'.repeat(100), 'c'), 'file'))
    t.true(rules.ignores(join(root, 'x.log'), 'file'))
  })
  t.true(ms < 1000, `${ms} ms`)
})
