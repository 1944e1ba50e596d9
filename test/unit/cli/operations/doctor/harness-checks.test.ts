import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import type { DoctorContext } from '../../../../../src/cli/operations/doctor/finding.js'
import { harnessChecks } from '../../../../../src/cli/operations/doctor/harness-checks.js'
import type { Machine } from '../../../../../src/cli/sessions/connect/entries/machine.js'
import { packageRoot } from '../../../../../src/lib/files/package-root.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'

/** A machine whose Gemini CLI has one hook with the given command. */
function machineWith(root: string, command: string, fields: Partial<Machine>): Machine {
  mkdirSync(join(root, '.gemini'))
  const settings = { hooks: { AfterAgent: [{ hooks: [{ type: 'command', command, timeout: 10_000 }] }] } }
  writeFileSync(join(root, '.gemini', 'settings.json'), JSON.stringify(settings))
  return {
    env: { PATH: '/usr/bin' },
    home: root,
    folder: root,
    platform: 'linux',
    workspace: workspacePaths(join(root, '.memory-service')),
    systemPath: '/usr/bin',
    node: process.execPath,
    packageRoot: packageRoot(),
    version: '1.2.3',
    ...fields,
  }
}

test('doctor says that hooks call memory by name below a version manager, and writes full paths', async t => {
  const root = temporaryWorkspace(t)
  const below = join(root, '.nvm/versions/node/v22.1.0/lib/node_modules/memory-service')
  const machine = machineWith(root, 'memory hook checkpoint -H gemini', { packageRoot: below })
  const [check] = await harnessChecks(machine)
  const outcome = await check!.run({} as DoctorContext)
  t.is(outcome.severity, 'warning')
  t.regex(outcome.evidence, /hooks call memory by name, below nvm, which only some terminals find/)
  await outcome.repair?.()
  const text = readFileSync(join(root, '.gemini', 'settings.json'), 'utf8')
  t.true(text.includes(`${process.execPath} ${join(below, 'bin', 'run.js')} hook session-start -H gemini`))
})

test('lines for Windows of older versions are outdated, and doctor writes the new ones', async t => {
  for (const old of [
    '"C:/Program Files/nodejs/node.exe" "C:/npm/node_modules/memory-service/bin/run.js" hook checkpoint -H gemini',
    '& "C:/Program Files/nodejs/node.exe" "C:/npm/node_modules/memory-service/bin/run.js" hook checkpoint -H gemini',
    'memory hook checkpoint -H gemini',
    'C:/npm/memory.cmd hook checkpoint -H gemini || exit 0',
  ]) {
    const root = temporaryWorkspace(t)
    const windows = { platform: 'win32', node: 'C:\\node\\node.exe', packageRoot: 'C:\\npm' } as const
    const [check] = await harnessChecks(machineWith(root, old, windows))
    const outcome = await check!.run({} as DoctorContext)
    t.regex(outcome.evidence, /missing or outdated/, old)
    await outcome.repair?.()
    const { hooks } = JSON.parse(readFileSync(join(root, '.gemini', 'settings.json'), 'utf8'))
    const [{ hooks: handlers }] = hooks.AfterAgent
    t.deepEqual(
      handlers.map(({ command }: { command: string }) => command),
      ['C:/node/node.exe C:/npm/bin/run.js hook session-checkpoint-extract -H gemini'],
    )
  }
})
