import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import {
  type EventName,
  eventProperties,
  isEventName,
  localProperties,
} from '../../../src/contract/operations/telemetry/telemetry-events.js'

const root = join(import.meta.dirname, '..', '..', '..')
const page = readFileSync(join(root, 'docs', 'telemetry.md'), 'utf8')
const names = Object.keys(eventProperties) as EventName[]

/** The page's documentation of each event: its properties and its example. */
const documented = new Map(
  page
    .split(/^### /mu)
    .slice(1)
    .flatMap(section => {
      const name = /^`([a-z.]+)`/u.exec(section)?.[1]
      if (!name) return []
      const properties = [...section.matchAll(/^\| `(\w+)` \|/gmu)].map(([, property]) => property as string)
      const example = /```json\n([^\n]+)\n```/u.exec(section)?.[1]
      return [[name, { properties, example }]] as const
    }),
)

for (const name of names)
  test(`docs/telemetry.md has ${name} with exactly its properties and a valid example (telemetry.md 3)`, t => {
    const told = documented.get(name)
    t.deepEqual(told?.properties.toSorted(), Object.keys(eventProperties[name].shape).toSorted())
    const { event, properties } = JSON.parse(told?.example ?? '{}')
    t.is(event, name)
    t.notThrows(() => eventProperties[name].parse(properties))
  })

test('the page documents only recorded events (telemetry.md 3)', t => {
  t.deepEqual([...documented.keys()].toSorted(), names.toSorted())
})

test('every documented event is recorded by the daemon (telemetry.md 3)', t => {
  const source = readdirSync(join(root, 'src', 'daemon'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => readFileSync(join(root, 'src', 'daemon', file), 'utf8'))
    .join('\n')
  const noted = [...source.matchAll(/event: (?:ends \? )?'([a-z]+\.[a-z]+)'(?: : '([a-z]+\.[a-z]+)')?/gu)]
    .flatMap(([, one, other]) => [one, other])
    .filter(name => name !== undefined && isEventName(name))
  t.deepEqual([...new Set(noted)].toSorted(), names.toSorted())
})

test('every local property belongs to its event', t => {
  for (const [name, properties] of Object.entries(localProperties)) {
    t.true(isEventName(name))
    for (const property of properties) t.true(property in eventProperties[name as EventName].shape)
  }
})

test('undocumented properties and unknown words are rejected (telemetry.md 3)', t => {
  t.false(eventProperties['recall.attempted'].safeParse({ surface: 'tool_call', query: 'q' }).success)
  t.false(eventProperties['recall.attempted'].safeParse({ surface: 'a query' }).success)
  t.false(isEventName('toString'))
})
