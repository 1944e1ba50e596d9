#!/usr/bin/env node
'use strict'
// CommonJS, as package.json beside it says: Node's loader of modules costs a hook more than the hook.
/** Commands with a bundle of their own, without help: `scripts/bundle-commands.js` puts the same ones in it. */
const everyday = new Set(['recall', 'remember'])
const [command, ...words] = process.argv.slice(2)
const isHelp = words.includes('--help') || words.includes('-h')

// Agents run hooks before each prompt: nothing of the CLI is loaded for them.
if (command === 'hook' && !isHelp) {
  require('../dist/hook.cjs').run(words)
} else {
  const { join } = require('node:path')
  const { pathToFileURL } = require('node:url')
  const { loadCached } = require('./load-cached.js')
  const bundle = everyday.has(command) && !isHelp ? 'everyday.cjs' : 'cli.cjs'
  loadCached(pathToFileURL(join(__dirname, '..', 'dist', bundle))).main(process.argv.slice(2))
}
