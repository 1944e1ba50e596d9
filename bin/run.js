#!/usr/bin/env node
'use strict'
// CommonJS, as package.json beside it says: Node's ES module loader takes longer than a hook itself.
const [command, ...words] = process.argv.slice(2)
const isHelp = words.includes('--help') || words.includes('-h')

// Agents run hooks before each prompt, so hooks load nothing of the CLI.
if (command === 'hook' && !isHelp) {
  const hook = words.includes('tool-use') ? require('../dist/tool-hook.cjs') : require('../dist/hook.cjs')
  hook.run(words)
} else {
  const { join } = require('node:path')
  const { pathToFileURL } = require('node:url')
  const { loadCached } = require('./load-cached.js')
  // Everyday commands have a bundle of their own, which contains no help.
  const isEveryday = require('./everyday.json').includes(command) && !isHelp
  loadCached(pathToFileURL(join(__dirname, '..', 'dist', isEveryday ? 'everyday.cjs' : 'cli.cjs'))).main(
    process.argv.slice(2),
  )
}
