import test from 'ava'
import { workspacePaths } from '../../src/lib/workspace/paths.js'
import { readRegistration } from '../../src/lib/workspace/registration.js'
import { cliWorkspace } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'
import { operation } from '../helpers/ontology.js'

test('entities and facts are listed, shown, explained and reviewed with commands', async t => {
  const { id } = (await runHere(t, ['remember', 'Orion runs on Postgres or MySQL', '--json'])).json()
  const { port } = readRegistration(workspacePaths(cliWorkspace(t)).registration) as { port: number }
  const slot = { entity: 'Orion', aspect: 'deployment', claim: 'database' }
  const operations = [
    operation('create_entity', { name: 'Orion', type: 'project', aliases: ['biller'] }, { [id]: 'Orion' }),
    operation('assert_claim', { ...slot, value: 'Postgres' }, { [id]: 'runs on Postgres' }),
    operation(
      'link',
      { from: 'Orion', relation: 'runs on', to: 'Postgres', toType: 'tool' },
      { [id]: 'runs on Postgres' },
    ),
    operation('assert_claim', { ...slot, value: 'MySQL' }, { [id]: 'MySQL' }),
    operation('assert_claim', { ...slot, value: 'Oracle' }, { [id]: 'Orion' }),
  ]
  await fetch(`http://127.0.0.1:${port}/api/ontology/operations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ operations }),
  })
  const list = await runHere(t, ['ontology', 'entities', 'bil'])
  t.regex(list.stdout, /^\S+\t\S+\tproject\tOrion\tbiller$/m)
  t.regex(
    (await runHere(t, ['ontology', 'show', 'biller'])).stdout,
    /deployment +database +Postgres +current +0\.90/,
  )
  t.regex(
    (await runHere(t, ['ontology', 'around', 'biller'])).stdout,
    /^\S+\t\S+\tOrion\truns on\tPostgres$/m,
  )
  t.regex(
    (await runHere(t, ['ontology', 'claims', id])).stdout,
    /^\S+\tOrion\tdeployment > general > database\tPostgres\tcurrent\t"runs on Postgres"$/m,
  )
  const why = await runHere(t, ['ontology', 'explain', 'Orion', 'deployment', 'database'])
  t.regex(why.stdout, /^Orion > deployment > general > database {2}verified$/m)
  t.regex(why.stdout, new RegExp(`"runs on Postgres" {2}memory ${id}, unchanged`))
  t.is((await runHere(t, ['ontology', 'explain', 'Orion', 'deployment', 'colour'])).code, 3)
  const waiting = await runHere(t, ['ontology', 'proposals'])
  t.regex(
    waiting.stdout,
    /^\S+\t\S+\tblocked\tassert_claim\tOrion > deployment > database: MySQL \(now: Postgres\)$/m,
  )
  const { proposals } = (await runHere(t, ['ontology', 'proposals', '--json'])).json()
  const [oracle, mysql] = proposals as { id: string }[]
  t.is(
    (await runHere(t, ['ontology', 'apply', mysql?.id ?? '', '--reason', 'it moved'])).stdout.trim(),
    'Applied',
  )
  const refused = await runHere(t, ['ontology', 'apply', mysql?.id ?? '', '--reason', 'again'])
  t.is(refused.code, 4)
  t.is((await runHere(t, ['ontology', 'reject', oracle?.id ?? '', '-r', 'no'])).code, 0)
  const { claims } = (await runHere(t, ['ontology', 'show', 'Orion', '--json'])).json()
  t.like(claims, [{ value: 'MySQL', status: 'current' }])
})
