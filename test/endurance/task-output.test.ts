import test from 'ava'
import { maxRunOutput } from '../../src/contract/agents/tasks.js'
import { startDaemon } from '../helpers/daemon.js'
import { fakeClaude, makeTask, runToEnd } from '../helpers/tasks.js'

test('the start and end of half a gigabyte of output are kept, in little memory (tasks.md 8)', async t => {
  const { environment } = fakeClaude(
    t,
    `const { writeSync } = require('node:fs')
     const write = bytes => { for (let at = 0; at < bytes.length; ) try { at += writeSync(1, bytes, at) } catch {} }
     const lines = Buffer.from(('x\\u00e9'.repeat(400) + '\\n').repeat(850))
     write(Buffer.from('the beginning\\n'))
     for (let bytes = 0; bytes < 2 ** 29; bytes += lines.length) write(lines)
     write(Buffer.from(JSON.stringify({ type: 'result', subtype: 'success', is_error: false, num_turns: 1 }) + '\\nthe end\\n'))`,
  )
  const daemon = await startDaemon(t, { environment })
  const { id } = await makeTask(daemon)
  // A reader that never reads: its data must not pile up in memory.
  const leaving = new AbortController()
  t.teardown(() => leaving.abort())
  await fetch(`${daemon.url}/api/tasks/${id}/stream`, { signal: leaving.signal })
  const before = process.memoryUsage.rss()
  const run = await runToEnd(daemon, id)
  t.like(run, { status: 'completed', outputTruncated: true })
  t.true(run.output.length <= maxRunOutput)
  t.regex(run.output, /^the beginning\n/u)
  t.regex(run.output, /bytes left out/u)
  t.regex(run.output, /"is_error":false,"num_turns":1\}\nthe end\n$/u)
  t.true(process.memoryUsage.rss() - before < 300 * 1024 * 1024)
})
