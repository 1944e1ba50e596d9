// runs: in turn

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { execa } from 'execa'
import { environmentOf } from '../helpers/cli.js'
import { copyPackage } from '../helpers/installed-package.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'

const root = join(import.meta.dirname, '..', '..')
/** Creating links requires extra privileges on Windows. */
const onPosix = process.platform === 'win32' ? test.skip : test

/** Copies the package as npm installs it globally, with commands of its own. */
function installation(t: ExecutionContext) {
  const folder = temporaryFolder(t, 'memory-service-installed')
  const installed = copyPackage(folder, { withDrivers: false })
  const run = async (file: string, words: readonly string[], env: Record<string, string> = {}) =>
    execa(process.execPath, [join(installed, 'bin', file), ...words], {
      env: { ...environmentOf(t), ...env },
      extendEnv: false,
      reject: false,
    })
  return {
    folder,
    installed,
    record: (node: string, version = '20.19.0') =>
      writeFileSync(join(installed, 'installed-by.json'), JSON.stringify({ node, version })),
    linkPackages: () => symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules')),
    memory: (...words: string[]) => run('run.js', words),
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

onPosix('a driver that was built for another Node is explained in one sentence', async t => {
  const { folder, installed, record, memory } = installation(t)
  breakDriver(installed)
  const gone = join(folder, 'gone', 'node')
  record(gone)
  const { exitCode, stderr, stdout } = await memory('recall', 'boat')
  t.is(exitCode, 5, stdout)
  t.is(
    stderr,
    `error: the database driver was built for another Node than ${process.execPath}, and ${gone}, which ` +
      'installed memory-service, is gone\nnext: npm rebuild -g memory-service',
  )
  const told = JSON.parse((await memory('recall', 'boat', '--json')).stdout)
  t.like(told, { code: 'launch_failed', nextSteps: ['npm rebuild -g memory-service'] })
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
