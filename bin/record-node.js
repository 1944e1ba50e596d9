'use strict'
// npm runs this after each installation and rebuild, unless install scripts are off; then the first daemon
// records its Node. Later daemons start with the recorded one, whatever Node a command runs under: a compiled
// database driver fits no other (src/client/daemon/launch.ts).
const { spawnSync } = require('node:child_process')
const { existsSync, writeFileSync } = require('node:fs')
const { dirname, join } = require('node:path')
const { trimDrivers } = require('./trim-drivers.js')

const root = dirname(__dirname)
const recordFile = join(root, 'installed-by.json')
const { execPath, versions } = process

/** @returns why it cannot be written, as for a package that belongs to another user. */
function record() {
  try {
    // src/lib/files/package-root.ts finds a path of it that outlasts upgrades.
    const node = { node: execPath, version: versions.node, abi: versions.modules }
    writeFileSync(recordFile, `${JSON.stringify(node)}\n`)
    return undefined
  } catch (error) {
    return error
  }
}

/** Records the Node of a running daemon, whose driver loads, if the installation recorded none. */
function recordFirst() {
  if (existsSync(recordFile)) return
  record()
  trimDrivers(root)
}

/** @returns why a daemon would find no database driver; undefined if one loads. */
function driverFault() {
  const { status, stderr } = spawnSync(execPath, [join(__dirname, 'daemon.js'), '--check-driver'], {
    env: { ...process.env, SERVICE_WORKSPACE: root },
    encoding: 'utf8',
  })
  return status === 0 ? undefined : stderr.trim()
}

/** `npm rebuild -g memory-service` runs the scripts of this package alone, not those of the driver. */
function rebuildDriver() {
  const npm = process.env.npm_execpath
  if (!npm?.endsWith('npm-cli.js')) return
  const words = [npm, 'rebuild', 'better-sqlite3', '--no-global', '--prefix', root]
  spawnSync(execPath, words, { cwd: root, stdio: 'inherit' })
}

/** Fails an installation that no command could use: npm only warns about an optional driver. */
function afterInstallation() {
  const error = record()
  // Without the record the daemon runs under the Node of each command.
  if (error) console.error(`memory-service: ${error.message}`)
  // Before the build no driver can be tried.
  if (!existsSync(join(root, 'dist', 'daemon.cjs'))) return
  const first = driverFault()
  if (!first) return trimDrivers(root)
  const isOfAnotherNode = first.includes('was installed with')
  if (isOfAnotherNode) rebuildDriver()
  const fault = isOfAnotherNode ? driverFault() : first
  if (!fault) return
  console.error(`memory-service: ${fault}`)
  process.exitCode = 1
}

if (require.main === module) afterInstallation()

module.exports = { recordFirst }
