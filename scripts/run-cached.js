import { pathToFileURL } from 'node:url'
import { loadCached } from '../bin/load-cached.js'

/**
 * node scripts/run-cached.js BUNDLE WORD...: runs a bundle in another folder as `bin` does, with the same
 * flags.
 */
const [bundle, ...words] = process.argv.slice(2)
const code = await loadCached(pathToFileURL(bundle)).main(words)
if (code !== undefined) process.exit(code)
