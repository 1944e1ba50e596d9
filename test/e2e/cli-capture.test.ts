import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import test from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { cliWorkspace } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

test('capture off leaves a project out by its hash, and on takes it back (sessions.md#capture-rules)', async t => {
  const folder = temporaryFolder(t, 'memory-service-capture-cli')
  const settings = () => readFileSync(workspacePaths(cliWorkspace(t)).settings, 'utf8')
  const first = await runHere(t, ['capture', 'status', '--project', folder])
  t.regex(
    first.stdout,
    /are captured \(capture\.mode is on\)\n {2}tool use: names\nNext: memory capture off/u,
  )
  const off = await runHere(t, ['capture', 'off', '--project', folder, '--json'])
  t.like(off.json(), { isCaptured: false })
  t.regex(settings(), /exclude:\s+project: sha256:[0-9a-f]{64}/u)
  t.false(settings().includes(basename(folder)))
  const status = await runHere(t, ['capture', 'status', '--project', folder])
  t.regex(status.stdout, /are not captured \(rule \{"exclude".+\)\n {2}rule 1: /u)
  await runHere(t, ['capture', 'off', '--project', folder])
  t.is(settings().match(/sha256:/gu)?.length, 1, 'a second rule says nothing new')
  const on = await runHere(t, ['capture', 'on', '--project', folder])
  t.regex(on.stdout, /are captured/u)
  t.notRegex(settings(), /sha256:/u)
})

test('capture on cannot overrule .memory.yaml, and needs a project (sessions.md#capture-rules)', async t => {
  const folder = temporaryFolder(t, 'memory-service-capture-cli')
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, '.memory.yaml'), 'project: shop\ncapture: off\n')
  const refused = await runHere(t, ['capture', 'on'], { folder: join(folder, 'src') })
  t.not(refused.code, 0)
  t.regex(refused.stderr, /\.memory\.yaml of the project says capture: off/u)
  const nowhere = await runHere(t, ['capture', 'off'], { folder: '/' })
  t.is(nowhere.code, 2)
  t.regex(nowhere.stderr, /in no project[\s\S]+--project NAME/u)
})
