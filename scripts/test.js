import { readdir } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { execa } from 'execa'
import { built, bundleTests } from './bundle-tests.js'
import { needsServer, onServer, withServer } from './postgres-tests.js'
import { withTemporaryFolder } from './temporary-folder.js'

const root = join(import.meta.dirname, '..')

/** Runs the tests. Arguments go to ava; test files and folders are named by their source path. */
const args = process.argv
  .slice(2)
  .filter(argument => argument !== '--postgres')
  .map(argument => argument.replace(/^\.\/(?=test\/)/u, ''))
/** Reading extra certificates doubles each start of Node, and tests only connect to this machine. */
const cheapNode = { NODE_EXTRA_CA_CERTS: undefined }

const named = args.filter(argument => argument.startsWith('test/'))
const chosen = chosenOf(await testFiles())
process.exitCode = process.argv.includes('--postgres') ? await withServer(runOnServer) : await runHere()

/** All tests, with memories in SQLite. */
function runHere() {
  if (named.length === 0) console.log('Without PostgreSQL, which npm run test:postgres tests.')
  return run(
    chosen.filter(file => !needsServer(file)),
    {},
  )
}

/** The tests of the server and those of the API, with memories in PostgreSQL. */
async function runOnServer(server) {
  if (server === undefined) {
    console.error('Start a server and name it in MEMORY_TEST_POSTGRES, or install its programs.')
    return 1
  }
  const files = [...chosen.filter(needsServer), ...(await onServer(chosen))]
  return run(files, { MEMORY_TEST_POSTGRES: server, MEMORY_TEST_STORE: 'postgres' })
}

async function run(files, given) {
  // Grouped files have no names of their own for ava to match.
  await bundleTests(files, { inGroups: named.length === 0 })
  return withTemporaryFolder(environment => runAva({ ...environment, ...given }))
}

async function runAva(environment) {
  const ava = execa('ava', args.map(inBuild), {
    cwd: root,
    preferLocal: true,
    stdio: 'inherit',
    env: { ...environment, ...cheapNode },
    reject: false,
  })
  // The terminal signals ava as well; this process only has to clean up after it ends.
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
 * The named files if each argument matches a file or folder; otherwise all, and ava chooses. Without names
 * the endurance tests are skipped: they have their own command.
 */
function chosenOf(all) {
  if (named.length === 0) return all.filter(file => !isBelow(file, 'test/endurance'))
  const found = named.map(name => all.filter(file => isBelow(file, name)))
  return found.every(({ length }) => length > 0) ? [...new Set(found.flat())] : all
}

/** True for the named file itself, with or without its ending, and for files in the named folder. */
function isBelow(file, name) {
  return [name, `${name}.ts`, `${name}.tsx`].includes(file) || file.startsWith(name.replace(/\/?$/u, '/'))
}

/** The name that a test file has as a bundle. */
function inBuild(argument) {
  if (!argument.startsWith('test/')) return argument
  return `${built}/${argument.replace(/(?:\.tsx?)?$/u, '').replace(/\.test$/u, '.test.js')}`
}
