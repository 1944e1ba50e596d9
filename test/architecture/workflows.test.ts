import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { parse } from 'yaml'
import { root } from '../helpers/source-tree.js'

interface Workflow {
  on: unknown
  jobs: Record<string, { 'runs-on': string; steps: { run?: string; uses?: string }[] }>
}

const folder = join(root, '.github', 'workflows')
const workflows = readdirSync(folder).map(name => parse(readFileSync(join(folder, name), 'utf8')) as Workflow)
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

test('each job of a workflow has a machine, and each step something to do', t => {
  for (const { on, jobs } of workflows) {
    t.truthy(on)
    for (const [name, job] of Object.entries(jobs)) {
      t.truthy(job['runs-on'], name)
      t.true(
        job.steps.every(({ run, uses }) => run !== undefined || uses !== undefined),
        name,
      )
    }
  }
})

test('a workflow names only scripts and tests that exist', t => {
  t.deepEqual(workflows.flatMap(missingIn), [])
})

test('a smoke test is given the folder of a package, not the name of a command', t => {
  const places = workflows.flatMap(workflow => linesOf(workflow).flatMap(placeOf))
  t.true(places.length > 3)
  t.deepEqual(
    places.filter(place => !place.includes('/')),
    [],
  )
  t.deepEqual(placeOf('node scripts/smoke.js memory'), ['memory'])
})

test('a missing script is caught in every form', t => {
  const steps = [
    'npm run build && npm run gone',
    'node scripts/gone.js',
    '.ci/gone',
    'npm test -- test/unit test/gone',
  ]
  const workflow = { on: 'push', jobs: { one: { 'runs-on': 'x', steps: steps.map(run => ({ run })) } } }
  t.deepEqual(missingIn(workflow), ['npm run gone', 'scripts/gone.js', '.ci/gone', 'test/gone'])
})

function linesOf({ jobs }: Workflow): string[] {
  return Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = '' }) => run.split('\n')))
}

function placeOf(line: string): string[] {
  return [...line.matchAll(/smoke\.js (.+)$/gu)].map(([, place = '']) => place)
}

function missingIn(workflow: Workflow): string[] {
  return linesOf(workflow).flatMap(line => [
    ...[...line.matchAll(/\bnpm run ([\w-]+)/gu)]
      .filter(([, name = '']) => scripts[name] === undefined)
      .map(([words]) => words),
    ...[...line.matchAll(/(?<![\w/])(?:\.ci|scripts|test)\/[\w./-]+/gu)]
      .map(([path]) => path)
      .filter(path => !existsSync(join(root, path))),
  ])
}
