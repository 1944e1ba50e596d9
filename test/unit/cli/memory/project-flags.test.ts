import { mkdirSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { hereOf, projectArgument } from '../../../../src/cli/memory/project-flags.js'
import { meaningfulFolder } from '../../../../src/lib/workspace/working-folder.js'
import { temporaryFolder } from '../../../helpers/temporary-folder.js'

test('paths become absolute; names, remotes and keys stay', t => {
  const folder = temporaryFolder(t, 'memory-service-project')
  for (const [given, expected] of [
    ['.', process.cwd()],
    ['./src', join(process.cwd(), 'src')],
    ['src/cli', join(process.cwd(), 'src', 'cli')],
    ['~/shop', join(homedir(), 'shop')],
    [folder, folder],
    ['shop', 'shop'],
    ['src', 'src'],
    ['..shop', '..shop'],
    ['git.example/acme/shop', 'git.example/acme/shop'],
    ['git@git.example:acme/shop.git', 'git@git.example:acme/shop.git'],
  ] as const)
    t.is(projectArgument(given), expected, given)
})

test('the header names the current folder unless a flag says otherwise', t => {
  t.deepEqual(hereOf({}).headers, { 'x-service-project': encodeURIComponent(process.cwd()) })
  t.deepEqual(hereOf({ project: 'shop' }).headers, {})
  t.deepEqual(hereOf({ 'all-projects': true }).headers, {})
  t.deepEqual(hereOf({ 'no-project': true }).headers, { 'x-service-project': '-' })
})

test('home, a root and the folder for temporary files say nothing of a project', t => {
  for (const folder of [homedir(), '/', tmpdir(), undefined]) t.is(meaningfulFolder(folder), undefined)
  const inside = join(temporaryFolder(t, 'memory-service-project'), 'shop')
  mkdirSync(inside)
  t.is(meaningfulFolder(inside), inside)
})
