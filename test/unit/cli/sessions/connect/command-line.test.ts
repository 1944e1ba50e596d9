import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import {
  chooseProgram,
  hookCommand,
  quoteWord,
} from '../../../../../src/cli/sessions/connect/command-line.js'
import type { Machine } from '../../../../../src/cli/sessions/connect/entries/machine.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'

/** Creates a machine with an installation, and folders for its PATH. */
function machineWith(t: ExecutionContext, fields: Partial<Machine> = {}) {
  const root = temporaryWorkspace(t)
  const packageRoot = join(root, 'memory-service')
  const folders = {
    own: join(root, 'bin'),
    other: join(root, 'other'),
    scripts: join(root, 'node_modules', '.bin'),
  }
  for (const folder of [join(packageRoot, 'bin'), ...Object.values(folders)])
    mkdirSync(folder, { recursive: true })
  for (const [name, bin] of [
    ['memory', 'run.js'],
    ['service-mcp', 'mcp.js'],
  ] as const) {
    writeFileSync(join(packageRoot, 'bin', bin), '')
    for (const folder of [folders.own, folders.scripts])
      symlinkSync(join(packageRoot, 'bin', bin), join(folder, name))
    writeFileSync(join(folders.other, name), '')
  }
  for (const folder of Object.values(folders)) {
    writeFileSync(join(folder, 'node'), '')
    chmodSync(join(folder, 'node'), 0o755)
  }
  const machine: Machine = {
    env: {},
    home: root,
    folder: root,
    platform: 'linux',
    workspace: workspacePaths(join(root, '.memory-service')),
    systemPath: folders.own,
    node: '/opt/node/bin/node',
    packageRoot,
    version: '1.2.3',
    ...fields,
  }
  const on = (...names: (keyof typeof folders)[]): Machine => ({
    ...machine,
    env: { PATH: names.map(name => folders[name]).join(delimiter) },
  })
  return { machine, on, run: ['/opt/node/bin/node', join(packageRoot, 'bin', 'run.js')] }
}

const terminal = { isGraphical: false }

test('memory is called by name if the PATH leads to this installation in a folder that every process has', t => {
  const { on, machine } = machineWith(t)
  t.like(chooseProgram(on('own', 'other'), terminal), { memory: ['memory'], mcp: ['service-mcp'] })
  t.is(
    hookCommand(machine, chooseProgram(on('own'), terminal), 'session-start', 'codex'),
    'memory hook session-start -H codex',
  )
})

test('another installation that comes first and npx folders are ignored', t => {
  const { on, run } = machineWith(t)
  for (const machine of [on('other', 'own'), on('scripts'), on()])
    t.like(chooseProgram(machine, terminal), { memory: run, mcp: [...run, 'mcp'] })
})

test('full paths are written if only some terminals have the folder of memory, or node is elsewhere', t => {
  const { on, run } = machineWith(t)
  for (const systemPath of ['/usr/bin', join(on().home, 'other')])
    t.like(chooseProgram({ ...on('own'), systemPath }, terminal), { memory: run, mcp: [...run, 'mcp'] })
  const without = on('own')
  rmSync(join(without.home, 'bin', 'node'))
  t.deepEqual(chooseProgram(without, terminal).memory, run)
})

test('a system where every process has the PATH of the terminal needs no full paths', t => {
  const { on } = machineWith(t, { systemPath: undefined })
  t.deepEqual(chooseProgram(on('own'), terminal).memory, ['memory'])
})

test('a harness started from the desktop gets absolute paths', t => {
  const { on, run } = machineWith(t)
  const chosen = chooseProgram({ ...on('own'), systemPath: '/usr/bin' }, { isGraphical: true })
  t.deepEqual(chosen.memory, run)
  t.regex(chosen.reason, /desktop/)
})

test('a workspace other than the default one is passed on', t => {
  const { on, machine } = machineWith(t)
  const elsewhere = { ...on('own'), workspace: workspacePaths(join(machine.home, 'team memory')) }
  const program = chooseProgram(elsewhere, terminal)
  t.is(
    hookCommand(elsewhere, program, 'session-end', 'gemini'),
    `memory hook session-end -H gemini --workspace '${machine.home}/team memory'`,
  )
  t.deepEqual(program.mcp, ['service-mcp', '--workspace', `${machine.home}/team memory`])
})

test('arguments are quoted for sh', t => {
  t.is(quoteWord('/usr/bin/node', 'linux'), '/usr/bin/node')
  t.is(quoteWord('/Users/Ann Doe/bin/run.js', 'darwin'), "'/Users/Ann Doe/bin/run.js'")
  t.is(quoteWord("/o'neil/$HOME", 'linux'), String.raw`'/o'\''neil/$HOME'`)
})

test('Windows paths are quoted for both cmd and bash', t => {
  t.is(quoteWord(String.raw`C:\Program Files\nodejs\node.exe`, 'win32'), '"C:/Program Files/nodejs/node.exe"')
  t.is(quoteWord(String.raw`C:\npm\run.js`, 'win32'), '"C:/npm/run.js"')
  t.is(quoteWord('session-start', 'win32'), 'session-start')
})
