import { readFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'

const root = join(import.meta.dirname, '..')
const lateZod = join(root, 'src', 'lib', 'zod-on-demand.ts')

/** What of the daemon is made or loaded when it is needed; tests run it so, too. */
export const onDemand = () => [zodOnDemand(), tlsOnDemand(), plainPrefixes()]

/** For what stands in `src`: schemas are made when they are needed, see there. */
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

/** Packages name these beside http; to load them takes longer than anything else of those packages. */
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

/** The router compiles a function for each beginning of a path: hundreds at every start, for a comparison. */
function plainPrefixes() {
  const compiled = /return new Function\('path', 'i', .*/u
  return {
    name: 'plain-prefixes',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]find-my-way[\\/]lib[\\/]node\.js$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        if (!compiled.test(text))
          throw new Error(`${path} compiles no prefix any more: leave plainPrefixes out`)
        return {
          contents: text.replace(compiled, 'return (path, i) => path.startsWith(prefix, i)'),
          loader: 'js',
        }
      })
    },
  }
}

const ofProtocol = /[\\/]@modelcontextprotocol[\\/]sdk[\\/]/

/**
 * For a program that is asked one thing of the protocol at its start: the six hundred schemas of its SDK are made when
 * they are needed, as ours are, and the validator is loaded that only a server with questions of its own has a use for.
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
