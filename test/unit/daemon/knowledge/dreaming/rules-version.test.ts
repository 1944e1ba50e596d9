import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { factsOf, ownNotes } from '../../../../../bench/knowledge/suite.js'
import { rulesVersion } from '../../../../../src/daemon/knowledge/dreaming/deterministic/late-reader.js'
import { root } from '../../../../helpers/source-tree.js'

/** The facts that the rules of a version draw from each note of the benchmark. */
interface DrawnFacts {
  version: string
  byNote: ReadonlyMap<string, readonly string[]>
}

const file = join(root, 'test/fixtures/knowledge/drawn-facts.txt')
const command = 'UPDATE_DOCS=1 npm test -- test/unit/daemon/knowledge/dreaming/rules-version.test.ts'

async function drawFacts(): Promise<DrawnFacts> {
  const byNote = new Map<string, string[]>()
  for (const { note } of ownNotes()) {
    const name = `${note.project}: ${note.text.replaceAll('\n', '\\n')}`
    byNote.set(
      name,
      (await factsOf(note)).map(({ line }) => line.replaceAll('\n', '\\n')),
    )
  }
  return { version: rulesVersion, byNote }
}

function formatFacts({ version, byNote }: DrawnFacts): string {
  const notes = [...byNote].map(([note, facts]) => [note, ...facts.map(fact => `  ${fact}`)].join('\n'))
  return `rules ${version}\n\n${notes.join('\n')}\n`
}

function parseFacts(text: string): DrawnFacts {
  const [head = '', , ...lines] = text.trimEnd().split('\n')
  const byNote = new Map<string, string[]>()
  let note = ''
  for (const line of lines) {
    if (line.startsWith('  ')) byNote.get(note)?.push(line.slice(2))
    else {
      note = line
      byNote.set(note, [])
    }
  }
  return { version: head.replace('rules ', ''), byNote }
}

/** Notes from which the rules draw other facts than before; notes added since count as unchanged. */
function readDifferently(before: DrawnFacts, now: DrawnFacts): string[] {
  return [...now.byNote].flatMap(([note, facts]) => {
    const known = before.byNote.get(note)
    return known === undefined || known.join('\n') === facts.join('\n') ? [] : [note]
  })
}

test('rules that read notes differently have another version, so that stored memories are read once more (knowledge.md#dreaming)', async t => {
  const now = await drawFacts()
  const before = parseFacts(readFileSync(file, 'utf8'))
  if (now.version === before.version)
    t.deepEqual(
      readDifferently(before, now),
      [],
      `raise rulesVersion in src/daemon/knowledge/dreaming/deterministic/late-reader.ts, then run ${command}`,
    )
  if (process.env.UPDATE_DOCS) writeFileSync(file, formatFacts(now))
  t.is(readFileSync(file, 'utf8'), formatFacts(now), `the drawn facts changed; run ${command}`)
})

test('a note that is read differently is found, and an added one is not', t => {
  const before = parseFacts('rules 1\n\nshop: a\n  one\n  two\nshop: b\nshop: c\n  three\n')
  const now = parseFacts('rules 1\n\nshop: a\n  one\n  two\nshop: b\n  new\nshop: c\nshop: d\n  four\n')
  t.deepEqual(readDifferently(before, now), ['shop: b', 'shop: c'])
  t.deepEqual(readDifferently(before, before), [])
})
