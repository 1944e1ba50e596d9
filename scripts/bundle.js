import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { build } from 'esbuild'
import { commandTable, everyday, slimOclif } from './bundle-commands.js'
import { localModels } from './bundle-models.js'
import { neverAsked, protocolOnDemand, zodOnDemand } from './bundle-on-demand.js'
import { finishScript } from './script-text.js'
import { bundledFiles } from './third-party-notices.js'

const root = join(import.meta.dirname, '..')
const source = (...parts) => join(root, 'src', ...parts)

export const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  // ASCII output lets V8 keep one byte per character.
  charset: 'ascii',
  minifySyntax: true,
  minifyWhitespace: true,
  // THIRD-PARTY-NOTICES.txt contains their text.
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
}

/** The programs read two fields of package.json; the rest would be parsed at each start. */
export const ownPackage = {
  name: 'own-package',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]package\.json$/ }, async ({ path }) => {
      if (path !== join(root, 'package.json')) return undefined
      const { name, version } = JSON.parse(await readFile(path, 'utf8'))
      return { contents: JSON.stringify({ name, version }), loader: 'json' }
    })
  },
}

/** CommonJS has no import.meta. */
export const bundleUrl = { 'import.meta.url': '__bundleUrl' }

/** Defines the bundle's own URL in its text. */
const urlInScripts = {
  define: bundleUrl,
  banner: { js: "const __bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
}

/** Bundled CommonJS packages call require, which a module does not have. */
export const requireInModules = {
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
}

/** Packages that stay in node_modules: native code, separate files, or threads that load modules by name. */
export const external = ['@napi-rs/keyring', 'better-sqlite3', '@firecrawl/anydoc', 'unpdf']

/**
 * Bundles the CLI as one CommonJS file: only a script can be started from V8's code cache, a module cannot.
 * Everyday commands have a second, smaller bundle that loads in a tenth of the time.
 * @returns the files whose text is included; so do all functions here.
 */
export async function bundleCli(outdir) {
  const screens = new Set()
  const options = {
    ...common,
    ...urlInScripts,
    minify: true,
    format: 'cjs',
    // Its main file loads parts through a parameter, which a bundler cannot follow.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  }
  const main = source('cli', 'shell', 'main.ts')
  const results = await Promise.all([
    build({
      ...options,
      entryPoints: [main],
      outfile: join(outdir, 'cli.cjs'),
      external,
      plugins: [commandTable('lazy'), separateScreens(screens), slimOclif(), ownPackage],
    }),
    build({
      ...options,
      entryPoints: [main],
      outfile: join(outdir, 'everyday.cjs'),
      // bin/run.js uses the full CLI for help.
      external: [...external, './help.js'],
      plugins: [commandTable('lazy', everyday), slimOclif({ help: false }), ownPackage, separateStarting()],
    }),
    build({
      ...options,
      stdin: {
        contents: starting.map(name => `export * as ${name} from '${name}'`).join('\n'),
        resolveDir: root,
      },
      outfile: join(outdir, 'starting.cjs'),
      external,
    }),
  ])
  await finishScript(join(outdir, 'cli.cjs'))
  await finishScript(join(outdir, 'everyday.cjs'))
  return [...results.flatMap(bundledFiles), ...(await bundleScreens(outdir, [...screens]))]
}

/**
 * Packages needed to start a daemon. They are two thirds of an everyday bundle, and a daemon is usually
 * running already.
 */
const starting = ['execa', 'yaml', 'zod']

function separateStarting() {
  return {
    name: 'separate-starting',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^(?:${starting.join('|')})$`) }, ({ path }) => ({
        path,
        namespace: 'starting',
      }))
      onLoad({ filter: /./, namespace: 'starting' }, ({ path }) => ({
        contents: `module.exports = require('./starting.cjs').${path}`,
      }))
      onResolve({ filter: /./, namespace: 'starting' }, ({ path }) => ({ path, external: true }))
    },
  }
}

/**
 * Bundles the hook command, which agents run before each prompt, as one small script. A code cache would not
 * speed it up.
 */
export async function bundleHook(outdir) {
  const hook = await build({
    ...common,
    ...urlInScripts,
    minify: true,
    outdir,
    entryPoints: { hook: source('hook', 'main.ts'), 'tool-hook': source('hook', 'tool-use.ts') },
    // Compares versions only when they differ, which is once after an update.
    external: ['semver'],
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    plugins: [ownPackage],
  })
  return bundledFiles(hook)
}

/** Bundles the stdio MCP server, which starts with each agent session, as one script with a code cache. */
export async function bundleMcp(outdir) {
  const mcp = await build({
    ...common,
    ...urlInScripts,
    minify: true,
    outdir,
    entryPoints: { mcp: source('mcp', 'main.ts') },
    // A single entry to zod: with two, esbuild runs code of the SDK before the classes it needs.
    alias: { 'zod/v4': 'zod' },
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    external,
    plugins: [zodOnDemand(), protocolOnDemand(), ...neverAsked(), ownPackage],
  })
  await finishScript(join(outdir, 'mcp.cjs'))
  return bundledFiles(mcp)
}

/** Bundles all command classes and the exit codes, for the manifest and the documents; not shipped. */
export async function bundleCommandClasses(outdir) {
  await build({
    ...common,
    outdir,
    stdin: {
      contents: `export { commands } from 'virtual:commands'\nexport { exitCodes } from './exit-codes.ts'\nexport { harnesses } from '../sessions/connect/harnesses.ts'`,
      resolveDir: source('cli', 'shell'),
    },
    entryNames: 'command-classes',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    packages: 'external',
    plugins: [commandTable('eager')],
  })
}

/** The thread that starts of a large store wait for, so it is also a script with a code cache. */
export const cachedThread = 'index-thread'

/** Worker threads and the child process, by the file names that the sources load. */
export const threads = {
  'embedding-worker': source('store', 'embedding', 'worker.ts'),
  'index-thread': source('daemon', 'ground', 'index', 'index-thread.ts'),
  'checkpoint-thread': source('store', 'sqlite', 'log', 'checkpoint-thread.ts'),
  'diagnostics-thread': source('daemon', 'operations', 'diagnostics', 'survey', 'look-up-thread.ts'),
  'code-thread': source('daemon', 'knowledge', 'code', 'read', 'reader-thread.ts'),
  'transfer-thread': source('daemon', 'operations', 'transfer', 'transfer-thread.ts'),
  'integrity-thread': source('store', 'sqlite', 'upkeep', 'integrity-thread.ts'),
  'backup-child': source('daemon', 'operations', 'backup', 'child.ts'),
  'conversion-process': source('store', 'sqlite', 'upkeep', 'conversion-process.ts'),
  'conversion-thread': source('store', 'sqlite', 'upkeep', 'conversion-thread.ts'),
  'code-indexing-child': source('daemon', 'knowledge', 'code', 'index', 'indexing', 'child.ts'),
  'code-indexing-thread': source('daemon', 'knowledge', 'code', 'index', 'indexing', 'indexing-thread.ts'),
  'extraction-child': source('daemon', 'ground', 'extraction', 'child.ts'),
  'extraction-thread': source('daemon', 'ground', 'extraction', 'reading-thread.ts'),
}

/** Bundles the threads and undici, which the daemon loads on demand. */
export async function bundleDaemonModules(outdir) {
  const options = {
    ...common,
    ...requireInModules,
    format: 'esm',
    minifyWhitespace: false,
    // As for the CLI.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    external,
  }
  const { [cachedThread]: cached, ...others } = threads
  const results = await Promise.all([
    build({ ...options, outdir, entryPoints: others, plugins: [localModels(outdir), ownPackage] }),
    build({
      ...options,
      ...urlInScripts,
      entryPoints: { [cachedThread]: cached },
      outdir,
      format: 'cjs',
      outExtension: { '.js': '.cjs' },
      plugins: [bundledDriver(), ownPackage],
    }),
    build({
      ...options,
      outfile: join(outdir, 'undici.js'),
      stdin: { contents: `export { Agent, fetch, request } from 'undici'`, resolveDir: root },
    }),
  ])
  await finishScript(join(outdir, `${cachedThread}.cjs`))
  return results.flatMap(bundledFiles)
}

/**
 * Bundles the script of the compiled database driver, which speeds up programs whose start users wait for.
 * Node's loader would search for a dozen files, and the driver would search as many places for its native
 * part. npm's location is known. A build without that package leaves it to the loader.
 */
export function bundledDriver() {
  const replace = (path, text, search, replacement) => {
    if (!text.includes(search)) throw new Error(`${path} loads the database driver in an unknown way`)
    return text.replace(search, replacement)
  }
  const library = join(root, 'node_modules', 'better-sqlite3', 'lib', 'index.js')
  return {
    name: 'bundled-driver',
    setup({ onResolve, onLoad }) {
      if (!existsSync(library)) return
      onResolve({ filter: /^better-sqlite3$/ }, () => ({ path: library }))
      onLoad({ filter: /[\\/]sqlite[\\/]connection[\\/]driver\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        return {
          contents: replace(path, text, "load('better-sqlite3')", "require('better-sqlite3')"),
          loader: 'ts',
        }
      })
      onLoad({ filter: /[\\/]better-sqlite3[\\/]lib[\\/]database\.js$/ }, async ({ path }) => {
        const search = "require('bindings')('better_sqlite3.node')"
        const native = "require('better-sqlite3/build/Release/better_sqlite3.node')"
        return { contents: replace(path, await readFile(path, 'utf8'), search, native) }
      })
    },
  }
}

/** Bundles Ink screens as separate modules, loaded when one is shown; Ink uses top-level await. */
async function bundleScreens(outdir, files) {
  const screens = await build({
    ...common,
    ...requireInModules,
    outdir,
    entryPoints: Object.fromEntries(files.map(file => [`screens/${basename(file, extname(file))}`, file])),
    format: 'esm',
    splitting: true,
    chunkNames: 'screens/[name]-[hash]',
    define: { 'process.env.NODE_ENV': '"production"' },
    // Ink imports it only with DEV=true.
    external: ['react-devtools-core'],
  })
  return bundledFiles(screens)
}

/** Keeps dynamic imports of src/cli/tui out of the CLI's bundle and adds their files to `screens`. */
function separateScreens(screens) {
  return {
    name: 'separate-screens',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /\/tui\/.*\.js$/ }, async ({ path, kind, pluginData, importer, resolveDir }) => {
        if (kind !== 'dynamic-import' || pluginData === 'nested') return undefined
        const { path: file } = await resolve(path, { importer, resolveDir, kind, pluginData: 'nested' })
        screens.add(file)
        return { path: `./screens/${basename(file, extname(file))}.js`, external: true }
      })
    },
  }
}
