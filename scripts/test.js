import { copyFile, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { execa } from 'execa'

const root = join(import.meta.dirname, '..')
const built = '.test-build'
const loaders = { '.ts': 'ts', '.tsx': 'tsx', '.js': 'js' }

/**
 * Runs the tests. Sources and tests are translated once, file by file: a loader in each of the many test processes
 * takes longer than most tests. Arguments go to ava; test files are named as they stand in the tree.
 */
await translate()
const args = process.argv
  .slice(2)
  .map(argument => argument.replace(/^(?:\.\/)?(test\/.*?)(?:\.tsx?)?$/u, `${built}/$1`))
  .map(argument => (argument.endsWith('.test') ? `${argument}.js` : argument))
const { exitCode } = await execa('ava', args, {
  cwd: root,
  preferLocal: true,
  stdio: 'inherit',
  reject: false,
})
process.exitCode = exitCode ?? 1

async function translate() {
  const entryPoints = (await Promise.all(['src', 'test', 'bench', 'scripts'].map(sourcesIn))).flat()
  await rm(join(root, built), { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    entryPoints,
    outdir: built,
    outbase: '.',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    jsx: 'automatic',
    sourcemap: true,
    logLevel: 'warning',
    plugins: [keepPlaces()],
  })
  await copyFile(join(root, 'package.json'), join(root, built, 'package.json'))
}

async function sourcesIn(folder) {
  const entries = await readdir(join(root, folder), { recursive: true })
  return entries
    .filter(name => extname(name) in loaders && !name.endsWith('.d.ts'))
    .map(name => join(folder, name))
}

/** Files find their neighbours (fixtures, dist, docs) from where they stand in the tree. */
function keepPlaces() {
  return {
    name: 'keep-places',
    setup({ onLoad }) {
      onLoad({ filter: /\.(?:tsx?|js)$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        const places = { dirname: dirname(path), url: pathToFileURL(path).href }
        const contents = text.replace(
          /(?<!')import\.meta\.(dirname|url)/gu,
          (_match, place) => `'${JSON.stringify(places[place]).slice(1, -1)}'`,
        )
        return { contents, loader: loaders[extname(path)] }
      })
    },
  }
}
