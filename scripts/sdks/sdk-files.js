import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { pythonTypes } from './python-types.js'
import { synchronous } from './synchronous.js'
import { typescriptTypes } from './typescript-types.js'

const python = 'sdk/python/src/memory_service'

/**
 * Generated files of the SDKs, whose source is the OpenAPI document that the daemon serves.
 * @param {string} root of the repository. @param {string} built folder for a module of this build.
 * @returns {Promise<Record<string, string>>} texts by path below the root.
 */
export async function sdkFiles(root, built) {
  const module = join(built, 'openapi.mjs')
  await build({
    absWorkingDir: root,
    entryPoints: ['src/daemon/platform/http/openapi.ts'],
    outfile: module,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  })
  const { openapiDocument } = await import(pathToFileURL(module).href)
  const document = openapiDocument('0.0.0')
  return {
    'sdk/typescript/src/api.ts': typescriptTypes(document),
    [`${python}/_api.py`]: pythonTypes(document),
    [`${python}/_client.py`]: synchronous(await readFile(join(root, python, '_async_client.py'), 'utf8')),
  }
}
