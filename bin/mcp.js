#!/usr/bin/env node
'use strict'
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { loadCached } = require('./load-cached.js')

loadCached(pathToFileURL(join(__dirname, '..', 'dist', 'mcp.cjs')))
  .main(process.argv.slice(2))
  // A call that still waits for the daemon must not keep the process alive after its client has gone.
  .then(code => process.exit(code))
