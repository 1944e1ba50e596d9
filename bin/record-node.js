'use strict'
// npm runs this after each installation and rebuild. The database driver is built for the Node that runs now,
// so the daemon is started with it, whatever Node later commands run under (src/client/daemon/launch.ts).
const { spawnSync } = require('node:child_process')
const { writeFileSync } = require('node:fs')
const { dirname, join } = require('node:path')

const root = dirname(__dirname)
const { execPath, versions } = process

/** `npm rebuild -g memory-service` runs the scripts of this package alone, not those of the driver. */
function rebuildDriver() {
  const npm = process.env.npm_execpath
  if (!npm?.endsWith('npm-cli.js') || !isOfAnotherNode()) return
  const words = [npm, 'rebuild', 'better-sqlite3', '--no-global', '--prefix', root]
  const { status } = spawnSync(execPath, words, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

function isOfAnotherNode() {
  try {
    ;new (require('better-sqlite3'))(':memory:').close()
    return false
  } catch (error) {
    return /NODE_MODULE_VERSION/.test(error.message)
  }
}

rebuildDriver()
// src/lib/files/package-root.ts finds a path of it that outlasts upgrades.
const record = { node: execPath, version: versions.node, abi: versions.modules }
try {
  writeFileSync(join(root, 'installed-by.json'), `${JSON.stringify(record)}\n`)
} catch (error) {
  // Without the record the daemon runs under the Node of each command.
  console.error(`memory-service: ${error.message}`)
}
