import test from 'ava'
import { startDaemon } from '../../helpers/daemon.js'
import { callTool, connectHttp } from '../../helpers/mcp.js'
import { operation, perform } from '../../helpers/ontology.js'
import { openRaw } from '../../helpers/store.js'

test('service_explain_claim gives the reasons, and fails when a source lacks its quote (mcp.md 4.9)', async t => {
  const daemon = await startDaemon(t)
  const client = await connectHttp(t, daemon.url)
  const id = await daemon.remember('Orion runs on Postgres')
  const slot = { entity: 'Orion', aspect: 'deployment', group: 'general', claim: 'database' }
  await perform(daemon, [
    operation('create_entity', { name: 'Orion', type: 'project' }, { [id]: 'Orion' }),
    operation('assert_claim', { ...slot, value: 'Postgres' }, { [id]: 'runs on Postgres' }),
  ])
  const more = { kind: 'attribute', version_limit: 5, premise_limit: 5, reverse_limit: 5, max_depth: 1 }
  const asked = { ...slot, ...more, session_key: 's1', agent_id: 'default' }
  const found = await callTool(client, 'service_explain_claim', asked)
  t.like(found, { isError: false, data: { integrity: { status: 'verified' }, truncated: false } })
  t.regex(
    found.text,
    /^Orion > deployment > general > database \(integrity: verified\)\n- Postgres \[current, since /,
  )
  t.regex(found.text, new RegExp(`"runs on Postgres" \\(memory ${id}, unchanged\\)`))
  const nothing = await callTool(client, 'service_explain_claim', { ...slot, claim: 'colour' })
  t.like(nothing, { isError: true })
  t.regex(nothing.text, /memory_search/)
  openRaw(t, daemon.paths.database).prepare("UPDATE memories SET content = 'something else'").run()
  const broken = await callTool(client, 'service_explain_claim', slot)
  t.like(broken, { isError: true })
  t.regex(broken.text, /do not occur in their sources: .*\(evidence_mismatch\)/)
})
