#!/usr/bin/env node
'use strict'
// CommonJS, as package.json beside it says: Node's loader of modules costs a hook more than the hook.
const [command, ...words] = process.argv.slice(2)
const isHelp = words.includes('--help') || words.includes('-h')

// Agents run hooks before each prompt: nothing of the CLI is loaded for them.
if (command === 'hook' && !isHelp) {
  require('../dist/hook.cjs').run(words)
} else {
  const { join } = require('node:path')
  const { pathToFileURL } = require('node:url')
  const { loadCached } = require('./load-cached.js')
  // Commands with a bundle of their own, which has no help.
  const isEveryday = require('./everyday.json').includes(command) && !isHelp
  loadCached(pathToFileURL(join(__dirname, '..', 'dist', isEveryday ? 'everyday.cjs' : 'cli.cjs'))).main(
    process.argv.slice(2),
  )
}
