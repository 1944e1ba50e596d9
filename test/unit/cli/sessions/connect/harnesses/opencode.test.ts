import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { opencode } from '../../../../../../src/cli/sessions/connect/harnesses/opencode.js'
import { thisMachine } from '../../../../../../src/cli/sessions/connect/plan-context.js'
import { temporaryWorkspace } from '../../../../../helpers/daemon.js'

for (const [scope, folder] of [
  ['user', join('home', '.config', 'opencode')],
  ['project', join('shop', '.opencode')],
] as const)
  test(`downloads of OpenCode are announced until they have happened: ${scope}`, t => {
    const root = temporaryWorkspace(t)
    const machine = { ...thisMachine(root), env: {}, home: join(root, 'home'), folder: join(root, 'shop') }
    const hints = () => opencode.hints(machine, scope, () => '').join('\n')
    t.regex(hints(), /@opencode-ai\/plugin \(63 MB\) into /u)
    t.true(hints().includes(join(root, folder)))
    mkdirSync(join(root, folder, 'node_modules'), { recursive: true })
    t.notRegex(hints(), /63 MB/u)
  })
