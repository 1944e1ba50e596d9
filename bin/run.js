#!/usr/bin/env node
import { createRequire } from 'node:module'

const [command, ...words] = process.argv.slice(2)
const isHelp = words.includes('--help') || words.includes('-h')

// Agents run hooks before each prompt: nothing of the CLI is loaded for them.
if (command === 'hook' && !isHelp) {
  const { main } = createRequire(import.meta.url)('../dist/hook.cjs')
  process.exit(await main(words))
}
const { loadCached } = await import('./load-cached.js')
const { main } = loadCached(new URL('../dist/cli.cjs', import.meta.url))
await main(process.argv.slice(2))
