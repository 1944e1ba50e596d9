// runs: alone

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import {
  endLeftoverPrograms,
  groupLives,
  startOfProcess,
} from '../../../../../src/daemon/platform/processes/process-group.js'
import { type GroupOptions, runGroup } from '../../../../../src/daemon/platform/processes/run-group.js'
import { workspacePaths } from '../../../../../src/lib/workspace/paths.js'
import { temporaryWorkspace } from '../../../../helpers/daemon.js'
import { until } from '../../../../helpers/daemon-process.js'

function openRunner(t: ExecutionContext) {
  const deps = { paths: workspacePaths(temporaryWorkspace(t)), log: pino({ level: 'silent' }) }
  const output = { stdout: '', stderr: '' }
  const run = (command: GroupOptions['command'], options: Partial<GroupOptions> = {}) =>
    runGroup(deps, {
      command,
      cwd: deps.paths.root,
      env: { PATH: process.env.PATH },
      timeoutMs: 60_000,
      onOutput: (stream, chunk) => {
        output[stream] += chunk
      },
      ...options,
    })
  return { deps, output, run, noted: () => readNames(deps.paths.children) }
}

const readNames = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** Returns a Node program to run without a shell. */
const node = (code: string): GroupOptions['command'] => [process.execPath, '-e', code]
const stays = 'setInterval(() => {}, 1000)'
const ignoresTerm = `process.on('SIGTERM', () => {}); console.log('up'); ${stays}`

test('a program ends with its own code, and both outputs arrive', async t => {
  const { run, output, noted } = openRunner(t)
  const end = await run(node('process.stdout.write("a"); process.stderr.write("b"); process.exitCode = 7'))
  t.like(end, { status: 'exited', code: 7 })
  t.deepEqual(output, { stdout: 'a', stderr: 'b' })
  await until(() => noted().length === 0)
})

test.serial('output arrives even if the event loop is blocked when the program ends', async t => {
  const { deps, run, output, noted } = openRunner(t)
  const mark = (name: string): string => join(deps.paths.root, name)
  const hold = (until: () => boolean): void => {
    while (!until());
  }
  const forMs = (ms: number): void => {
    const end = performance.now() + ms
    hold(() => performance.now() > end)
  }
  const writesAfter = (name: string, go: string) =>
    node(`const fs = require('node:fs'); while (!fs.existsSync(${JSON.stringify(mark(go))}));
process.stdout.write('${name}'); process.on('exit', () => fs.writeFileSync(${JSON.stringify(mark(name))}, ''))`)
  const late = run(writesAfter('late', 'go late'))
  const early = run(writesAfter('early', 'go early'), {
    // The late program ends in the turn that would report the end of the early one, and the loop stays
    // blocked.
    onOutput: () => {
      writeFileSync(mark('go late'), '')
      hold(() => existsSync(mark('late')))
      forMs(100)
      setImmediate(() => forMs(300))
    },
  })
  await until(() => noted().length === 2)
  writeFileSync(mark('go early'), '')
  hold(() => existsSync(mark('early')))
  forMs(100)
  await Promise.all([late, early])
  t.is(output.stdout, 'late')
})

test('a line goes to the shell, arguments go to the program', async t => {
  const { run, output } = openRunner(t)
  await run('echo one && echo two')
  t.is(output.stdout.replaceAll('\r', ''), 'one\ntwo\n')
  output.stdout = ''
  await run([process.execPath, '-p', 'process.argv[1]', '$(echo no) && echo no'])
  t.is(output.stdout, '$(echo no) && echo no\n')
})

test('a program gets only the given environment, and no standard input', async t => {
  const { run, output } = openRunner(t)
  const code = `process.stdin.on('data', () => {}).on('end', () => console.log(Object.keys(process.env).filter(k => k !== '__CF_USER_TEXT_ENCODING').sort().join()))`
  await run(node(code), { env: { PATH: process.env.PATH, ONLY: '1' } })
  t.is(output.stdout, 'ONLY,PATH\n')
})

test('input arrives on standard input, and unread input is harmless', async t => {
  const { run, output } = openRunner(t)
  await run(node('process.stdin.pipe(process.stdout)'), { input: 'to read' })
  t.is(output.stdout, 'to read')
  t.like(await run(node('process.exit(3)'), { input: 'x'.repeat(1e6) }), { status: 'exited', code: 3 })
})

test('a program that cannot start and a missing folder are reported', async t => {
  const { run, deps } = openRunner(t)
  const missing = await run(['no-such-program-at-all'])
  t.like(missing, { status: 'not_started', isMissing: true })
  t.regex(missing.error ?? '', /no-such-program-at-all/)
  const folder = await run(node('1'), { cwd: join(deps.paths.root, 'gone') })
  t.like(folder, { status: 'not_started', isMissing: false })
  t.not(folder.error, '')
})

test('a timeout ends a program and its children, with code 124', async t => {
  const { run, output } = openRunner(t)
  const child = `const c = require('child_process').spawn(process.execPath, ['-e', '${stays}'], { stdio: 'ignore' }); console.log(process.pid + ' ' + c.pid); ${stays}`
  const end = await run(node(child), { timeoutMs: 1500 })
  t.like(end, { status: 'timed_out', code: 124 })
  const [leader, grandchild] = output.stdout.trim().split(' ').map(Number) as [number, number]
  await until(() => !groupLives(leader))
  t.is(await runningSince(grandchild), undefined)
})

test('a program that ignores termination is killed', async t => {
  const { run } = openRunner(t)
  const controller = new AbortController()
  const end = await run(node(ignoresTerm), {
    signal: controller.signal,
    onOutput: () => controller.abort(),
  })
  t.is(end.status, 'cancelled')
  t.true(process.platform === 'win32' || end.code === 128 + 9)
})

test('an already aborted signal starts nothing', async t => {
  const { run, output } = openRunner(t)
  const end = await run(node('console.log(1)'), { signal: AbortSignal.abort() })
  t.is(end.status, 'cancelled')
  t.is(output.stdout, '')
})

test('a child that keeps the pipes does not block the caller, and is ended', async t => {
  const { run, output } = openRunner(t)
  const code = `const c = require('child_process').spawn(process.execPath, ['-e', '${stays}'], { stdio: 'inherit' }); console.log(process.pid + ' ' + c.pid); c.unref(); process.exit(0)`
  const end = await run(node(code))
  t.like(end, { status: 'exited', code: 0 })
  const [, left] = output.stdout.trim().split(' ').map(Number) as [number, number]
  await until(async () => (await runningSince(left)) === undefined)
})

test('a program waits for its output handler, and no output is lost', async t => {
  const { run } = openRunner(t)
  let seenBytes = 0
  await run(node('process.stdout.write("x".repeat(5e6))'), {
    onOutput: async (_, chunk) => {
      await new Promise(resolve => setImmediate(resolve))
      seenBytes += chunk.length
    },
  })
  t.is(seenBytes, 5e6)
})

test('an error of the output handler ends the program and reaches the caller', async t => {
  const { run } = openRunner(t)
  const onOutput = () => {
    throw new Error('no more')
  }
  await t.throwsAsync(run(node(`console.log(1); ${stays}`), { onOutput }), { message: 'no more' })
})

test('processes of a killed daemon are ended at the next start, unrelated ones are not', async t => {
  const { run, deps, noted, output } = openRunner(t)
  const controller = new AbortController()
  const running = run(node(`console.log(1); ${stays}`), { signal: controller.signal })
  t.teardown(() => controller.abort())
  await until(() => noted().length === 1 && output.stdout !== '' && noteOf(deps.paths.children) !== '')
  const [leader] = noted().map(Number) as [number]
  const other = openRunner(t)
  mkdirSync(other.deps.paths.children, { recursive: true })
  writeFileSync(join(other.deps.paths.children, String(leader)), 'somebody else 1')
  await endLeftoverPrograms(other.deps).close()
  t.true(groupLives(leader))
  t.deepEqual(other.noted(), [])
  await endLeftoverPrograms(deps).close()
  t.is((await running).status, 'exited')
  t.false(groupLives(leader))
})

test('on Linux a process group is recorded with its start time before the program runs', async t => {
  const { deps, run, output } = openRunner(t)
  const folder = JSON.stringify(deps.paths.children)
  await run(
    node(`const fs = require('node:fs'); for (const name of fs.readdirSync(${folder}))
  process.stdout.write(fs.readFileSync(require('node:path').join(${folder}, name), 'utf8'))`),
  )
  t.true(process.platform !== 'linux' || output.stdout !== '')
})

test('a program started during that cleanup is not ended', async t => {
  const { run, deps, noted, output } = openRunner(t)
  const controller = new AbortController()
  const reaper = endLeftoverPrograms(deps)
  const running = run(node(`console.log(1); ${stays}`), { signal: controller.signal })
  await until(() => noted().length === 1 && output.stdout !== '' && noteOf(deps.paths.children) !== '')
  reaper.start()
  await reaper.close()
  t.is(noted().length, 1)
  controller.abort()
  t.is((await running).status, 'cancelled')
})

const noteOf = (folder: string): string =>
  readNames(folder)
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('')

/** A zombie counts as gone, because containers often have no process that reaps it. */
async function runningSince(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux' && existsSync(`/proc/${pid}/stat`)) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    if (stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')) return undefined
  }
  return startOfProcess(pid)
}

test('a slow reader gets all output written before the end', async t => {
  const { run } = openRunner(t)
  let readBytes = 0
  const slow = node('process.stdout.write("a".repeat(100_000))')
  await run(slow, {
    onOutput: async (_stream, chunk) => {
      // Longer than the silence after which pipes held by other processes are closed.
      if (readBytes === 0) await sleep(700)
      readBytes += chunk.length
    },
  })
  t.is(readBytes, 100_000)
})
