import { readdir } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { execa } from 'execa'
import { built, bundleTests } from './bundle-tests.js'
import { withTemporaryFolder } from './temporary-folder.js'

const root = join(import.meta.dirname, '..')

/** Runs the tests. Arguments go to ava; test files and their folders are named as they stand in the tree. */
const args = process.argv.slice(2).map(argument => argument.replace(/^\.\/(?=test\/)/u, ''))
/** Reading certificates takes as long as the rest of a start of Node, and tests talk to this machine alone. */
const cheapNode = { NODE_EXTRA_CA_CERTS: undefined }

const named = args.filter(argument => argument.startsWith('test/'))
// In groups files have no names of their own, by which ava would find them.
await bundleTests(chosenOf(await testFiles()), { inGroups: named.length === 0 })
process.exitCode = await withTemporaryFolder(runAva)

async function runAva(environment) {
  const ava = execa('ava', args.map(inBuild), {
    cwd: root,
    preferLocal: true,
    stdio: 'inherit',
    env: { ...environment, ...cheapNode },
    reject: false,
  })
  // The terminal tells both; what is left to do here is to clean up once it has ended.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => ava.kill(signal))
  const { exitCode } = await ava
  return exitCode ?? 1
}

async function testFiles() {
  return (await readdir(join(root, 'test'), { recursive: true }))
    .filter(name => /\.test\.tsx?$/u.test(name))
    .map(name => `test/${name.replaceAll(sep, '/')}`)
}

/**
 * The files that are meant where each name is one of a file or a folder; otherwise all, of which ava chooses. Without a
 * name the long runs are left out: they have a command of their own.
 */
function chosenOf(all) {
  if (named.length === 0) return all.filter(file => !isBelow(file, 'test/endurance'))
  const found = named.map(name => all.filter(file => isBelow(file, name)))
  return found.every(({ length }) => length > 0) ? [...new Set(found.flat())] : all
}

/** Whether a file is the one that is named, perhaps without its ending, or in that folder. */
function isBelow(file, name) {
  return [name, `${name}.ts`, `${name}.tsx`].includes(file) || file.startsWith(name.replace(/\/?$/u, '/'))
}

/** The name that a test file has as a bundle. */
function inBuild(argument) {
  if (!argument.startsWith('test/')) return argument
  return `${built}/${argument.replace(/(?:\.tsx?)?$/u, '').replace(/\.test$/u, '.test.js')}`
}
