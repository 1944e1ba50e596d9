import { readFile, rm } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { external, requireInModules, threads } from './bundle.js'
import { onDemand } from './bundle-on-demand.js'
import { groupedTests, testEntries } from './group-tests.js'

const root = join(import.meta.dirname, '..')
const isDependency = path => /[\\/]node_modules[\\/]/u.test(path)
const loaders = { '.ts': 'ts', '.tsx': 'tsx', '.js': 'js' }

/** CommonJS packages imported on demand: in a bundle chunk they would export nothing by name. */
const importedLater = ['undici', 'semver']

/**
 * Left external: packages only tests load, the models' runtime, and packages that tests and tested code must
 * share.
 */
const loadedAsTheyAre = [
  '@babel/parser',
  '@seriousme/openapi-schema-validator',
  '@xenova/transformers',
  'ava',
  'axe-core',
  'cron-parser',
  'discord-api-types',
  'esbuild',
  'fast-check',
  'fflate',
  'graphql',
  'ink',
  'ink-testing-library',
  'onnxruntime-web',
  'playwright-core',
  'react',
]

/** Folder of the bundles, relative to the root. */
export const built = '.test-build'

/** Folder of the daemon's threads and child processes, side by side as in `dist`. */
const threadFolder = 'threads'

/**
 * Bundles test files with their imports. Loading about 1,500 modules takes longer than most tests, so shared
 * modules become a few chunks.
 * @param files relative to the root.
 * @param inGroups whether files share processes; otherwise each file has its own process, and its name in the
 * build.
 */
export async function bundleTests(files, { inGroups = false } = {}) {
  const { alone, groups } = inGroups ? await testEntries(root, files) : { alone: files, groups: [] }
  await rm(join(root, built), { recursive: true, force: true })
  await build({
    ...requireInModules,
    absWorkingDir: root,
    entryPoints: [
      ...alone.map(file => ({ in: file, out: file.slice(0, -extname(file).length) })),
      ...groups.map(({ out }, index) => ({ in: `test-group:${index}`, out: `${out}.test` })),
      ...Object.entries(threads).map(([name, file]) => ({ in: file, out: `${threadFolder}/${name}` })),
    ],
    outdir: built,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    jsx: 'automatic',
    minifyWhitespace: true,
    legalComments: 'none',
    sourcemap: true,
    sourcesContent: false,
    // As for the daemon and the CLI.
    alias: { 'zod/v4': 'zod', 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    external: [...external, ...importedLater, ...loadedAsTheyAre],
    logLevel: 'warning',
    plugins: [groupedTests(root, groups), ...onDemand(), keepPlaces()],
  })
}

/**
 * Keeps `import.meta` paths of test files as in the source tree (for fixtures, dist and docs), and those of
 * threads as built. Source maps cover only our files: with all packages a map takes longer to read than the
 * code.
 */
function keepPlaces() {
  const threadPlace = pathToFileURL(join(root, built, threadFolder, 'any.js')).href
  return {
    name: 'keep-places',
    setup({ onLoad }) {
      onLoad({ filter: /\.(?:[cm]?js|tsx?)$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        if (isDependency(path)) return { contents: `${text}\n${emptySourceMap}`, loader: 'js' }
        const places = { dirname: dirname(path), url: pathToFileURL(path).href }
        const contents = text
          .replaceAll('from: import.meta.url', `from: ${JSON.stringify(threadPlace)}`)
          .replace(/(?<!')import\.meta\.(dirname|url)/gu, (_match, place) => JSON.stringify(places[place]))
        return { contents, loader: loaders[extname(path)] }
      })
    },
  }
}

const emptySourceMap = `//# sourceMappingURL=data:application/json,${encodeURIComponent(
  JSON.stringify({ version: 3, sources: [''], mappings: 'A' }),
)}`
