#!/usr/bin/env node
'use strict'
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { loadCached } = require('./load-cached.js')

loadCached(pathToFileURL(join(__dirname, '..', 'dist', 'mcp.cjs')))
  .main(process.argv.slice(2))
  // A call that still waits for the daemon must not keep a server that nobody listens to.
  .then(code => process.exit(code))
