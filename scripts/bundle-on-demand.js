import { readFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const lateZod = join(root, 'src', 'lib', 'v8', 'zod-on-demand.ts')

/** Plugins that create or load parts of the daemon on demand; tests use them, too. */
export const onDemand = () => [zodOnDemand(), ...neverAsked(), tlsOnDemand(), plainRouter(), knownDefaults()]

/** Replaces zod in `src` with a version that creates schemas on first use; see zod-on-demand.ts. */
export function zodOnDemand() {
  const ours = join(root, 'src', sep)
  return {
    name: 'zod-on-demand',
    setup({ onResolve }) {
      onResolve({ filter: /^zod$/ }, ({ importer }) =>
        importer.startsWith(ours) && importer !== lateZod ? { path: lateZod } : undefined,
      )
    },
  }
}

/**
 * Drops unused parts of packages: zod's messages in sixty other languages, created on load, and the JSON
 * schema compilers of a router whose routes have no schemas.
 */
export function neverAsked() {
  return [
    {
      name: 'english-alone',
      setup({ onLoad }) {
        onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, ({ path }) => ({
          contents: `export { default as en } from './en.js'`,
          resolveDir: dirname(path),
        }))
      },
    },
    {
      name: 'no-json-schema',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^@fastify\/(?:ajv|fast-json-stringify)-compiler$/ }, ({ path }) => ({
          path,
          namespace: 'never-asked',
        }))
        onLoad({ filter: /./, namespace: 'never-asked' }, ({ path }) => ({
          contents: `throw new Error('${path} is not in the bundle: see scripts/bundle-on-demand.js')`,
        }))
      },
    },
  ]
}

/**
 * Packages import these modules beside http, and loading them takes longer than anything else of those
 * packages.
 */
function tlsOnDemand() {
  return {
    name: 'tls-on-demand',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(?:node:)?(?:tls|https|http2)$/ }, ({ path, kind, namespace }) =>
        kind === 'require-call' && namespace === 'file' ? { path, namespace: 'on-demand' } : undefined,
      )
      onLoad({ filter: /./, namespace: 'on-demand' }, ({ path }) => ({
        contents: `module.exports = new Proxy({}, { get: (_target, name) => require('${path}')[name] })`,
      }))
    },
  }
}

/**
 * The router compiles hundreds of functions with `new Function` at every start, although most daemons use a
 * few. There is one for each path prefix, and two for each route: for parameters and for constraints, which
 * no route has. Fastify binds a server's hooks for each route. It also compares its version with those
 * plugins ask for, which a lock file fixes, so the comparison code is not loaded.
 */
const routerParts = [
  {
    file: /[\\/]find-my-way[\\/]lib[\\/]node\.js$/,
    compiled: /const lines = \[\][\s\S]*?return new Function\('path', 'i', .*/u,
    instead: 'return (path, i) => path.startsWith(prefix, i)',
  },
  {
    file: /[\\/]find-my-way[\\/]lib[\\/]handler-storage\.js$/,
    compiled: /_createParamsObject: this\._compileCreateParamsObject\(params\)/u,
    // The first request replaces this function with the compiled one.
    instead: `_createParamsObject: (...values) => {
      handlerObject._createParamsObject = this._compileCreateParamsObject(params)
      return handlerObject._createParamsObject(...values)
    }`,
  },
  {
    file: /[\\/]find-my-way[\\/]lib[\\/]handler-storage\.js$/,
    compiled: /this\._compileGetHandlerMatchingConstraints\(constrainer, constraints\)/u,
    instead: `this._getHandlerMatchingConstraints = derived => {
      this._compileGetHandlerMatchingConstraints(constrainer)
      return this._getHandlerMatchingConstraints(derived)
    }`,
  },
  {
    file: /[\\/]fastify[\\/]lib[\\/]route\.js$/,
    compiled:
      /const toSet = this\[kHooks\]\[hook\]\s+\.concat\(opts\[hook\] \|\| \[\]\)\s+\.map\(h => h\.bind\(this\)\)/u,
    instead: `const ofServer = this[kHooks][hook]
            const bound = ofServer.bound ??= []
            while (bound.length < ofServer.length) bound.push(ofServer[bound.length].bind(this))
            const toSet = bound.concat([].concat(opts[hook] || []).map(h => h.bind(this)))`,
  },
  {
    file: /[\\/]fastify[\\/]lib[\\/]plugin-utils\.js$/,
    compiled: /require\('semver'\)/u,
    instead: '{ satisfies: () => true }',
  },
]

function plainRouter() {
  const files = [...new Set(routerParts.map(({ file }) => file.source))]
  return {
    name: 'plain-router',
    setup({ onLoad }) {
      for (const file of files)
        onLoad({ filter: new RegExp(file) }, async ({ path }) => {
          const parts = routerParts.filter(part => part.file.source === file)
          const text = await readFile(path, 'utf8')
          return { contents: parts.reduce((code, part) => replaced(code, part, path), text), loader: 'js' }
        })
    },
  }
}

function replaced(text, { compiled, instead }, path) {
  if (!compiled.test(text))
    throw new Error(`${path} no longer contains ${compiled}. Remove it from routerParts.`)
  return text.replace(compiled, () => instead)
}

/** Inlines the default settings as values, so that their schemas need not run. */
function knownDefaults() {
  return {
    name: 'known-defaults',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]ground[\\/]settings[\\/]default-settings\.ts$/ }, async () => ({
        contents: `export function defaultSettings() { return ${JSON.stringify(await defaultSettings())} }`,
      }))
    },
  }
}

async function defaultSettings() {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'src', 'contract', 'settings.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  })
  const text = Buffer.from(outputFiles[0].contents).toString('base64')
  const { settings } = await import(`data:text/javascript;base64,${text}`)
  return settings.parse({})
}

const ofProtocol = /[\\/]@modelcontextprotocol[\\/]sdk[\\/]/

/**
 * For a program that answers one protocol request at its start: creates the SDK's six hundred schemas on
 * demand, as ours are. It also loads the validator on demand, which only a server with questions of its own
 * needs.
 */
export function protocolOnDemand() {
  return {
    name: 'protocol-on-demand',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^zod\/v4$/ }, ({ path, importer }) =>
        ofProtocol.test(importer) ? { path, namespace: 'late-zod' } : undefined,
      )
      onLoad({ filter: /./, namespace: 'late-zod' }, () => ({
        contents: `module.exports = require(${JSON.stringify(lateZod)}).z`,
        resolveDir: root,
      }))
      const whole = '?whole'
      onResolve({ filter: /\?whole$/ }, ({ path, resolveDir }) => ({
        path: join(resolveDir, path.slice(0, -whole.length)),
        suffix: whole,
      }))
      onLoad({ filter: /[\\/]validation[\\/]ajv-provider\.js$/ }, ({ path, suffix }) =>
        suffix === whole ? undefined : { contents: validatorLater, resolveDir: dirname(path) },
      )
    },
  }
}

const validatorLater = `export class AjvJsonSchemaValidator {
  constructor(...options) {
    const { AjvJsonSchemaValidator: Whole } = require('./ajv-provider.js?whole')
    return new Whole(...options)
  }
}`
