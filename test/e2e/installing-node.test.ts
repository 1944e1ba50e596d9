// runs: in turn

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { execa } from 'execa'
import { environmentOf, until } from '../helpers/cli.js'
import { copyPackage } from '../helpers/installed-package.js'
import { callTool, connectStdio } from '../helpers/mcp.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const root = join(import.meta.dirname, '..', '..')
/** Creating links requires extra privileges on Windows. */
const onPosix = process.platform === 'win32' ? test.skip : test

/** Copies the package as npm installs it globally, with commands of its own. */
function installation(t: ExecutionContext) {
  const folder = temporaryFolder(t, 'memory-service-installed')
  const installed = copyPackage(folder, { withDrivers: false })
  const run = async (file: string, words: readonly string[], input = '') =>
    execa(process.execPath, [join(installed, 'bin', file), ...words], {
      env: environmentOf(t),
      extendEnv: false,
      reject: false,
      input,
    })
  return {
    folder,
    installed,
    record: (node: string, version = '20.19.0') =>
      writeFileSync(join(installed, 'installed-by.json'), JSON.stringify({ node, version })),
    linkPackages: () => symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules')),
    memory: (...words: string[]) => run('run.js', words),
    memoryWith: (input: string, ...words: string[]) => run('run.js', words, input),
    recordByNpm: () => run('record-node.js', []),
  }
}

/** Writes a driver that fails as one does that was compiled for another Node. */
function breakDriver(installed: string): void {
  const driver = join(installed, 'node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node')
  mkdirSync(driver, { recursive: true })
  const fault = 'was compiled against a different Node.js version using NODE_MODULE_VERSION 127'
  writeFileSync(join(driver, 'index.js'), `throw new Error(${JSON.stringify(fault)})\n`)
  const newer = join(installed, 'node_modules', 'better-sqlite3-napi')
  mkdirSync(newer)
  writeFileSync(join(newer, 'index.js'), `throw new Error(${JSON.stringify(fault)})\n`)
}

onPosix(
  'the Node that installed the package starts the daemon, whatever Node a command runs under',
  async t => {
    const { folder, record, linkPackages, memory } = installation(t)
    linkPackages()
    const node = join(folder, 'node')
    const started = join(folder, 'started')
    const script = `#!/bin/sh\necho "$1" >> '${started}'\nexec '${process.execPath}' "$@"\n`
    writeFileSync(node, script, { mode: 0o755 })
    record(node)
    t.is((await memory('remember', 'the boat is red')).exitCode, 0)
    t.regex(readFileSync(started, 'utf8'), /bin\/daemon\.js\n$/)
  },
)

onPosix('a missing Node does not matter while the driver fits the running one', async t => {
  const { folder, record, linkPackages, memory } = installation(t)
  linkPackages()
  record(join(folder, 'gone', 'node'))
  t.is((await memory('remember', 'the boat is red')).exitCode, 0)
})

/** The sentence and the next step for a driver that was built by a Node that is gone. */
const sentence = `memory-service was installed with Node 20.19.0 and runs on Node ${process.versions.node}, so no SQLite driver loads`
const nextStep = 'npm install -g memory-service'

/** Installs the package with drivers of another Node, which was the installing one and is gone. */
function installedByOther(t: ExecutionContext) {
  const installation_ = installation(t)
  breakDriver(installation_.installed)
  installation_.record(join(installation_.folder, 'gone', 'node'), '20.19.0')
  return installation_
}

onPosix(
  'a command names the Node that no driver suits, in one sentence and by its own exit code',
  async t => {
    const { memory } = installedByOther(t)
    const { exitCode, stderr, stdout } = await memory('recall', 'boat')
    t.is(exitCode, 7, stdout)
    t.is(stderr, `error: ${sentence}\nnext: ${nextStep}`)
    const told = JSON.parse((await memory('recall', 'boat', '--json')).stdout)
    t.like(told, { code: 'no_driver', nextSteps: [nextStep] })
  },
)

onPosix('the daemon itself ends with that exit code and sentence in the foreground', async t => {
  const { memory } = installedByOther(t)
  const { exitCode, stderr } = await memory('daemon', 'run')
  t.is(exitCode, 7)
  t.is(stderr, `${sentence}; next: ${nextStep}`)
})

onPosix('doctor finds that no driver loads', async t => {
  const { memory } = installedByOther(t)
  const { exitCode, stdout } = await memory('doctor', '--json')
  t.is(exitCode, 6)
  const { findings } = JSON.parse(stdout) as { findings: { id: string }[] }
  const found = (id: string) => findings.find(finding => finding.id === id)
  t.like(found('driver'), { severity: 'error', evidence: sentence, fix: nextStep })
  t.like(found('daemon'), { severity: 'error', evidence: sentence, fix: nextStep })
})

// The first hook begins another start, whose end the next one would have to wait for.
for (const hook of ['session-start', 'user-prompt-submit'])
  onPosix(`hook ${hook} fails open and names the driver instead of a daemon that starts`, async t => {
    const { memory, memoryWith } = installedByOther(t)
    await memory('recall', 'boat')
    const input = JSON.stringify({ session_id: 's', cwd: '/', prompt: 'hello' })
    const { exitCode, stdout, stderr } = await memoryWith(input, 'hook', hook, '-H', 'claude-code')
    t.is(exitCode, 0)
    t.is(stdout, '')
    t.is(stderr, `memory hook ${hook}: no daemon is running, ${sentence}; next: ${nextStep}`)
  })

onPosix('an MCP tool answers with the sentence and the remedy', async t => {
  const { installed } = installedByOther(t)
  const client = await connectStdio(t, [], {}, undefined, 'test', join(installed, 'bin', 'mcp.js'))
  const { isError, text } = await callTool(client, 'memory_search', { query: 'boat' })
  t.true(isError)
  t.is(text, `${sentence} (no_driver)\nTell the user the remedy: ${nextStep}`)
})

onPosix('the first daemon records its Node when install scripts were off', async t => {
  const { installed, linkPackages, memory } = installation(t)
  linkPackages()
  t.is((await memory('remember', 'the boat is red')).exitCode, 0)
  const file = join(installed, 'installed-by.json')
  await until(() => existsSync(file), 'the record')
  t.is(JSON.parse(readFileSync(file, 'utf8')).version, process.versions.node)
})

onPosix('an installation without any driver fails, and says why', async t => {
  const { installed, recordByNpm } = installation(t)
  breakDriver(installed)
  const { exitCode, stderr } = await recordByNpm()
  t.is(exitCode, 1)
  t.regex(stderr, /^memory-service: .* no SQLite driver loads; next: npm install -g memory-service$/m)
})

test('no package that an installation needs has an install script, so npm may skip them all', t => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: true; dev?: true; optional?: true; devOptional?: true }>
  }
  const needed = Object.entries(packages).filter(
    ([path, { dev, optional, devOptional }]) => path !== '' && !dev && !optional && !devOptional,
  )
  t.true(needed.length > 0)
  t.deepEqual(
    needed.filter(([, { hasInstallScript }]) => hasInstallScript),
    [],
  )
})

onPosix('npm records the Node of an installation, by a path that an upgrade keeps', async t => {
  const { installed, linkPackages, recordByNpm } = installation(t)
  linkPackages()
  const { exitCode, stderr } = await recordByNpm()
  t.is(exitCode, 0, stderr)
  const { node, ...versions } = JSON.parse(readFileSync(join(installed, 'installed-by.json'), 'utf8'))
  t.deepEqual(versions, { version: process.versions.node, abi: process.versions.modules })
  const { stdout } = await execa(node, ['-p', 'process.execPath'])
  t.is(stdout, process.execPath)
  const { files, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  t.is(scripts.postinstall, 'node bin/record-node.js')
  t.false(files.includes('installed-by.json'))
})
