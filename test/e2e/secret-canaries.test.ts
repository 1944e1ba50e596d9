// runs: in turn

import test from 'ava'
import { runCanaries } from '../canary/canary-run.js'
import { CanarySearch } from '../canary/search.js'
import { makeCanaries } from '../canary/values.js'
import { temporaryWorkspace } from '../helpers/daemon.js'

// The search reads the environments and arguments of processes from /proc.
const onLinux = process.platform === 'linux' ? test : test.skip

onLinux(
  'values appear nowhere after commands that print them, a kill and a restart (secrets.md 4)',
  async t => {
    const workspace = temporaryWorkspace(t)
    const { findings, orphans, ended } = await runCanaries(t, { workspace, secrets: 15, jobs: 30 })
    t.deepEqual(findings, [])
    t.true(orphans.before >= 24)
    t.is(orphans.after, 0)
    t.true((ended['timed out'] ?? 0) > 0 && (ended['completed, with a code'] ?? 0) > 0)
  },
)

test('the search finds values in each encoding (secrets.md 4)', t => {
  for (const canary of makeCanaries(14)) {
    const bytes = Buffer.from(`<<${canary.value}>>`)
    const texts: (string | Buffer)[] = [
      bytes,
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('hex').toUpperCase(),
      encodeURIComponent(canary.value),
      JSON.stringify({ nested: JSON.stringify(canary.value) }),
      bytes.toString('base64').replace(/.{20}/gu, '$&\n'),
    ]
    for (const text of texts) {
      const search = new CanarySearch([canary])
      search.look('here', text)
      t.true(search.findings.length > 0, `${canary.kind}: ${text}`)
    }
    const output = new CanarySearch([canary])
    output.lookAtReply('here', JSON.stringify({ stream: 'stdout', data: bytes.toString('base64') }))
    t.true(output.findings.length > 0)
  }
})
