'use strict'
// An installation by npm keeps what a compilation of SQLite left behind and the drivers of other systems, a
// third of its size. They are removed once a driver has loaded. `npm rebuild` still finds the sources of the
// older driver; the newer one is always ready made.
const { lstatSync, readdirSync, rmSync } = require('node:fs')
const { join } = require('node:path')

/** @returns files and folders below `root` that no driver of this system needs. */
function surplusOf(root, { platform, arch } = process) {
  const packages = join(root, 'node_modules')
  const compiled = join(packages, 'better-sqlite3', 'build')
  const readyMade = join(packages, 'better-sqlite3-napi')
  // Packages behind a link belong to a store that others use too.
  if (![packages, join(packages, 'better-sqlite3'), readyMade].every(isOwnOrAbsent)) return []
  const isOurs = name => name.startsWith(platform) && name.endsWith(`-${arch}.node`)
  return [
    ...(namesIn(join(compiled, 'Release')).includes('better_sqlite3.node')
      ? [
          ...below(compiled, name => name !== 'Release'),
          ...below(join(compiled, 'Release'), name => name !== 'better_sqlite3.node'),
        ]
      : []),
    ...(namesIn(join(readyMade, 'prebuilds')).some(isOurs)
      ? [
          ...below(readyMade, name => name === 'deps'),
          ...below(join(readyMade, 'prebuilds'), name => !isOurs(name)),
        ]
      : []),
  ]
}

/** Removes them. A file that cannot be removed does no harm. */
function trimDrivers(root) {
  for (const path of surplusOf(root))
    try {
      rmSync(path, { recursive: true, force: true })
    } catch {
      // It belongs to another user.
    }
}

function isOwnOrAbsent(folder) {
  return lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() !== true
}

function namesIn(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function below(folder, isSurplus) {
  return namesIn(folder)
    .filter(isSurplus)
    .map(name => join(folder, name))
}

module.exports = { surplusOf, trimDrivers }
