import { pathToFileURL } from 'node:url'
import { loadCached } from '../bin/load-cached.js'

/** node scripts/run-cached.js BUNDLE WORD...: what `bin` does with a bundle that lies elsewhere, by the flags of there. */
const [bundle, ...words] = process.argv.slice(2)
const code = await loadCached(pathToFileURL(bundle)).main(words)
if (code !== undefined) process.exit(code)
