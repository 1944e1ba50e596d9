import { readFileSync } from 'node:fs'
import test from 'ava'
import { typeOfReading } from '../../../../../../src/daemon/ground/reading/layout/note-type.js'
import { isPlainFact } from '../../../../../../src/daemon/ground/reading/layout/plain-fact.js'
import { readLine } from '../../../../../../src/daemon/ground/reading/read-line.js'
import { verbs } from '../../../../../../src/daemon/ground/reading/words/verbs.js'
import { inferType } from '../../../../../../src/daemon/memory/records/normalise-content.js'

const plain = [
  'note 12: the harbour crane number 7919 moved 5 containers',
  'Ben Ortiz is the lead for the shop',
  'Orders are stored in PostgreSQL 17, sessions in Valkey.',
  'Backups run nightly at 02:30 and are kept for 30 days.',
  'Uploads go to MinIO',
  'Deploy target: Heroku',
  'Metrics are shipped to Loki by Vector 0.41.',
  'The importer is written in Go and reads from SFTP',
]

test('a sentence about how things are is a fact at first look (rules.md 1.2)', t => {
  for (const text of plain) t.true(isPlainFact(text), text)
})

const told = [
  'We moved from Jenkins to Buildkite',
  'The project goes with Kafka',
  'Check the cable if the sensor is silent',
  'Morning round: check logs, read mails',
  'The API answers 503',
  'From now on the tables have owners',
  'Titles have to be short',
  'All prices are integers',
  'Every service has an owner',
  'deploy: build, tag and push',
  'Lights on during flashing',
  'Kept Redis for sessions',
  'Load the fixtures',
  'use tabs',
]

test('a sentence that may tell more is not plain (rules.md 1.2)', t => {
  for (const text of told) t.false(isPlainFact(text), text)
})

const nobody = { project: { name: 'project', type: 'project' }, saidAt: '', find: () => undefined }

/** The type by reading the whole text. */
function typeByReading(text: string): string {
  return typeOfReading(readLine(text, { ...nobody, isSpoken: false, isAlone: true })) ?? inferType(text)
}

test('what is plain at first look is a fact by reading too (rules.md 1.2)', t => {
  const notes = readFileSync('bench/knowledge/notes.tsv', 'utf8')
    .split('\n')
    .flatMap(line => line.split('\t').slice(3, 4))
  const texts = [...plain, ...notes].filter(isPlainFact)
  t.true(texts.length > 40, `${texts.length} are plain`)
  for (const text of texts) t.is(typeByReading(text), 'fact', text)
})

/** Frames in which a verb may give a sentence another type. */
const frames: readonly ((verb: string) => string)[] = [
  verb => `The client ${verb} Redis to Postgres 16`,
  verb => `we ${verb} the old app into two services`,
  verb => `Drivers are ${verb} with the new client`,
  verb => `Uploads ${verb} if the token is old.`,
  verb => `${verb} the tests before a merge`,
  verb => `The cache was ${verb} in May 2026`,
  verb => `Kafka ${verb} for events and ${verb} Rust`,
  verb => `The project ${verb} that users read it`,
]

test('whatever its verb, what is plain is a fact by reading too (rules.md 1.2)', t => {
  const texts = [...verbs.keys()]
    .map((verb, at) => frames[at % frames.length]?.(verb) ?? '')
    .filter(isPlainFact)
  t.true(texts.length > 1000, `${texts.length} are plain`)
  t.deepEqual(
    texts.filter(text => typeByReading(text) !== 'fact'),
    [],
  )
})
