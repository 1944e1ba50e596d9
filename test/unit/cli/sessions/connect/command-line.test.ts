import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { execa } from 'execa'
import {
  chooseProgram,
  commandLine,
  hookCommand,
  type Shell,
} from '../../../../../src/cli/sessions/connect/command-line.js'
import type { HarnessName, Install } from '../../../../../src/cli/sessions/connect/entries/harness.js'
import type { Machine } from '../../../../../src/cli/sessions/connect/entries/machine.js'
import { claudeCode } from '../../../../../src/cli/sessions/connect/harnesses/claude-code.js'
import { codex } from '../../../../../src/cli/sessions/connect/harnesses/codex.js'
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
  t.deepEqual(hookCommand(machine, chooseProgram(on('own'), terminal), 'session-start', 'codex'), {
    command: 'memory hook session-start -H codex',
  })
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
  t.deepEqual(hookCommand(elsewhere, program, 'session-end', 'gemini'), {
    command: `memory hook session-end -H gemini --workspace '${machine.home}/team memory'`,
  })
  t.deepEqual(program.mcp, ['service-mcp', '--workspace', `${machine.home}/team memory`])
})

test('an installation below a version manager is called by its full path, even through a common folder', t => {
  const { on, machine } = machineWith(t)
  for (const [manager, folder] of [
    ['nvm', '.nvm/versions/node/v22.1.0/lib/node_modules/memory-service'],
    ['fnm', '.local/share/fnm/node-versions/v22.1.0/installation/lib/node_modules/memory-service'],
    ['Volta', '.volta/tools/image/packages/memory-service/lib/node_modules/memory-service'],
    ['mise', '.local/share/mise/installs/node/22.1.0/lib/node_modules/memory-service'],
    ['asdf', '.asdf/installs/nodejs/22.1.0/lib/node_modules/memory-service'],
  ] as const) {
    const packageRoot = join(machine.home, folder)
    mkdirSync(join(packageRoot, 'bin'), { recursive: true })
    for (const bin of ['run.js', 'mcp.js']) writeFileSync(join(packageRoot, 'bin', bin), '')
    for (const [name, bin] of [
      ['memory', 'run.js'],
      ['service-mcp', 'mcp.js'],
    ] as const) {
      rmSync(join(machine.home, 'bin', name))
      symlinkSync(join(packageRoot, 'bin', bin), join(machine.home, 'bin', name))
    }
    const { memory, mcp, reason } = chooseProgram({ ...on('own'), packageRoot }, terminal)
    const run = ['/opt/node/bin/node', join(packageRoot, 'bin', 'run.js')]
    t.deepEqual({ memory, mcp }, { memory: run, mcp: [...run, 'mcp'] })
    t.true(reason.includes(`below ${manager},`), reason)
  }
})

const harnessNames: readonly HarnessName[] = ['claude-code', 'codex', 'gemini', 'cursor', 'copilot']

/** Returns the command fields that each harness gets for the start of a session. */
function written(machine: Machine): Record<string, unknown> {
  const program = chooseProgram(machine, terminal)
  return Object.fromEntries(
    harnessNames.map(harness => [harness, hookCommand(machine, program, 'session-start', harness)]),
  )
}

for (const platform of ['linux', 'darwin'] as const)
  test(`every harness gets the same line for sh on ${platform}`, t => {
    const { machine } = machineWith(t, { platform, packageRoot: '/opt/Ann Doe/memory-service' })
    t.deepEqual(
      written(machine),
      Object.fromEntries(
        harnessNames.map(harness => [
          harness,
          {
            command: `/opt/node/bin/node '/opt/Ann Doe/memory-service/bin/run.js' hook session-start -H ${harness}`,
          },
        ]),
      ),
    )
  })

/** A Windows machine with `node.exe` in one folder of its PATH, and this package below a profile. */
function windowsMachine(
  t: ExecutionContext,
  options: { isOnPath: boolean; profile?: string; git?: boolean },
) {
  const { isOnPath, profile = 'C:\\Users\\ann', git = true } = options
  const { machine } = machineWith(t)
  const folder = join(machine.home, 'win')
  mkdirSync(folder)
  for (const name of ['node.exe', ...(git ? ['git.exe'] : [])]) writeFileSync(join(folder, name), '')
  return {
    ...machine,
    platform: 'win32',
    systemPath: undefined,
    env: { Path: folder },
    node: isOnPath ? join(folder, 'node.exe') : 'C:\\Program Files\\nodejs\\node.exe',
    packageRoot: `${profile}\\AppData\\Roaming\\npm\\node_modules\\memory-service`,
  } satisfies Machine
}

const runJs = 'AppData/Roaming/npm/node_modules/memory-service/bin/run.js'
const hook = (harness: string) => `hook session-start -H ${harness}`

test('on Windows every harness gets a line that bash, PowerShell and cmd read alike, without the wrappers of npm', t => {
  const line = (harness: string) => `node C:/Users/ann/${runJs} ${hook(harness)}`
  const command = (harness: string) => [harness, { command: line(harness) }] as const
  t.deepEqual(written(windowsMachine(t, { isOnPath: true })), {
    ...Object.fromEntries(harnessNames.map(command)),
    codex: { command: line('codex'), commandWindows: line('codex') },
  })
})

test('on Windows only a path with a space is quoted', t => {
  const line = (harness: string) => `node "C:/Users/Ann Doe/${runJs}" ${hook(harness)}`
  const command = (harness: string) => [harness, { command: line(harness) }] as const
  t.deepEqual(written(windowsMachine(t, { isOnPath: true, profile: 'C:\\Users\\Ann Doe' })), {
    ...Object.fromEntries(harnessNames.map(command)),
    codex: { command: line('codex'), commandWindows: line('codex') },
  })
})

test('where node is not on the PATH of Windows, PowerShell gets an ampersand before a quoted program', t => {
  const rest = (harness: string) => `C:/Users/ann/${runJs} ${hook(harness)}`
  const program = '"C:/Program Files/nodejs/node.exe"'
  const powershell = (harness: string) => ({ command: `& ${program} ${rest(harness)}` })
  const elsewhere = {
    codex: {
      command: `"C:\\Program Files\\nodejs\\node.exe" ${rest('codex')}`,
      commandWindows: `& ${program} ${rest('codex')}`,
    },
    gemini: powershell('gemini'),
    cursor: powershell('cursor'),
    copilot: powershell('copilot'),
  }
  t.deepEqual(written(windowsMachine(t, { isOnPath: false })), {
    'claude-code': { command: `${program} ${rest('claude-code')}` },
    ...elsewhere,
  })
  t.deepEqual(written(windowsMachine(t, { isOnPath: false, git: false })), {
    'claude-code': powershell('claude-code'),
    ...elsewhere,
  })
})

test('on Windows a node that only one fnm shell has on its PATH is called by its full path', t => {
  const machine = windowsMachine(t, { isOnPath: true })
  const shell = join(machine.home, 'fnm_multishells', '1_2')
  mkdirSync(join(machine.home, 'fnm_multishells'))
  symlinkSync(join(machine.home, 'win'), shell)
  const { memory } = chooseProgram({ ...machine, env: { Path: shell } }, terminal)
  t.is(memory[0], machine.node)
})

const awkward = [
  '/usr/bin/node',
  "/Users/o'neil/$HOME/`x`/run.js",
  'C:\\Program Files (x86)\\node.exe',
  'C:\\Users\\Ä ö\\a&b;c|d',
  'D:\\“smart” $Home',
  '--workspace',
]

for (const shell of ['sh', 'bash'] as const)
  test(`${shell} reads the words that were written`, async t => {
    for (const word of awkward) {
      const plain = shell === 'sh' ? word : word.replaceAll('\\', '/')
      const line = commandLine(['printf', '%s', word.replace(/^--/u, 'x--')], shell)
      const { stdout } = await execa(shell === 'sh' ? 'sh' : 'bash', ['-c', line])
      t.is(stdout, plain.replace(/^--/u, 'x--'))
    }
  })

test('PowerShell and cmd read the words that were written', t => {
  for (const [position, word] of awkward.entries()) {
    const plain = word.replaceAll('\\', '/')
    const words = ['node', word, 'hook']
    t.deepEqual(readBy.powershell(commandLine(words, 'powershell')), ['node', plain, 'hook'])
    t.deepEqual(readBy.cmd(commandLine(words, 'cmd')), ['node', plain, 'hook'])
    const isProgram = position !== 5
    if (isProgram) t.deepEqual(readBy.powershell(commandLine([word, 'hook'], 'powershell')), [plain, 'hook'])
  }
  t.throws(() => readBy.powershell('"C:/Program Files/node.exe" hook'), { message: /is a text/ })
})

/**
 * The quoting rules of two shells: about_Parsing and about_Quoting_Rules, and CommandLineToArgvW below cmd.
 */
const readBy = {
  powershell(line: string): string[] {
    const call = line.startsWith('& ')
    if (!call && /^["']/u.test(line)) throw new Error(`${line} is a text in PowerShell, not a command`)
    const words = call ? line.slice(2) : line
    const token =
      /"(?:[^"$`\u201c-\u201e])*"|'(?:[^'\u2018-\u201b]|['\u2018-\u201b]{2})*'|[^\s"'$`&|;(){}<>,@#\u2018-\u201e]+/gu
    const read = words.match(token) ?? []
    if (read.join(' ') !== words) throw new Error(`${line} is more than words in PowerShell`)
    return read.map(word =>
      word.startsWith("'")
        ? word.slice(1, -1).replace(/(['\u2018-\u201b])\1/gu, '$1')
        : word.replace(/^"|"$/gu, ''),
    )
  },
  cmd(line: string): string[] {
    const read = line.match(/"[^"]*"|[^\s"&|<>^();,=%]+/gu) ?? []
    if (read.join(' ') !== line || read[0]?.includes('/'))
      throw new Error(`${line} is more than words in cmd`)
    return read.map(word => word.replace(/^"|"$/gu, ''))
  },
} satisfies Partial<Record<Shell, (line: string) => string[]>>

test('no written hook contains a shell operator, and a project of Claude Code has none before tools', t => {
  const machines = [machineWith(t).machine, windowsMachine(t, { isOnPath: true })]
  for (const machine of machines)
    for (const harness of [claudeCode, codex])
      for (const scope of ['user', 'project'] as const) {
        const program = chooseProgram(machine, harness)
        const install: Partial<Install> = {
          scope,
          transport: 'command',
          hookCommand: name => hookCommand(machine, program, name, harness.name),
          mcpWords: program.mcp,
          variables: { names: [], plain: {} },
          ownOrigins: [],
          read: () => '',
        }
        const [edit] = harness.edits(machine, install as Install)
        const { hooks } = JSON.parse(edit!.add(''))
        t.is('PreToolUse' in hooks, harness === codex || scope === 'user')
        for (const { hooks: handlers } of Object.values(hooks).flat() as {
          hooks: Record<string, string>[]
        }[])
          for (const { command = '', commandWindows = '' } of handlers)
            t.notRegex(`${command}${commandWindows}`, /\|\||&&|;/)
      }
})
