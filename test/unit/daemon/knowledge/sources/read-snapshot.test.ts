import test from 'ava'
import { readSnapshot } from '../../../../../src/daemon/knowledge/sources/core/read-snapshot.js'

const artifact = (n: number) => ({
  sourcePath: `notes/${n}.md`,
  sourceKind: 'note',
  sourceId: 's',
  content: `the crane ${n} "lifts"\n🏗`,
})
const snapshot = (count = 3, fields: object = {}) => ({
  version: 1,
  source: { id: 's', kind: 'notevault', stats: { artifacts: 3 } },
  artifacts: Array.from({ length: count }, (_, n) => artifact(n)),
  skipped: { localChatArtifacts: 0 },
  ...fields,
})

async function readText(text: string, pieceBytes = 7) {
  const bytes = Buffer.from(text)
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
  }
  const reading = readSnapshot(pieces())
  const paths: string[] = []
  for await (const { sourcePath, content } of reading.artifacts) paths.push(`${sourcePath} ${content.length}`)
  return { paths, source: reading.source() }
}

test('artifacts are read one by one, for any chunking and layout', async t => {
  const told = {
    paths: ['notes/0.md 22', 'notes/1.md 22', 'notes/2.md 22'],
    source: { id: 's', kind: 'notevault', stats: { artifacts: 3 } },
  }
  t.deepEqual(await readText(JSON.stringify(snapshot())), told)
  t.deepEqual(await readText(`${JSON.stringify(snapshot(), null, 2)}\n\n`, 1), told)
  const { source, ...rest } = snapshot()
  t.deepEqual(await readText(JSON.stringify({ ...rest, source })), told)
})

test('an invalid snapshot is reported', async t => {
  const whole = JSON.stringify(snapshot())
  const faulty: [string, string, RegExp][] = [
    [whole.slice(0, -10), 'invalid_json', /it is incomplete/u],
    [`${whole} x`, 'invalid_json', /not valid JSON/u],
    ['{"version": 1, "artifacts": [}', 'invalid_json', /: syntax error at or just after byte 2[0-9]$/u],
    ['', 'invalid_json', /it is incomplete/u],
    ['[]', 'validation_failed', /artifacts: must be a list/u],
    [JSON.stringify(snapshot(1, { version: 2 })), 'validation_failed', /version/u],
    [JSON.stringify(snapshot(1, { source: undefined })), 'validation_failed', /source/u],
    [JSON.stringify(snapshot(1, { artifacts: { a: artifact(1) } })), 'validation_failed', /must be a list/u],
    [JSON.stringify(snapshot(1, { artifacts: 'all' })), 'validation_failed', /must be a list/u],
    [JSON.stringify(snapshot(1, { artifacts: [artifact(0), {}] })), 'validation_failed', /artifacts\.1/u],
    [whole.replace('lifts', 'li\\u0000fts'), 'validation_failed', /NUL/u],
    [`${whole.slice(0, -1)},"artifacts":[]}`, 'validation_failed', /twice/u],
    [`{"version":1,"x":${'['.repeat(1e6)}`, 'validation_failed', /100 levels/u],
    [`{"version":1,"x":[${'{},'.repeat(1e5)}{}]}`, 'validation_failed', /too many values/u],
  ]
  for (const [text, code, message] of faulty) await t.throwsAsync(readText(text, 65_536), { code, message })
})

test('reading a large snapshot yields to the event loop', async t => {
  const text = JSON.stringify(snapshot(20_000))
  let turnCount = 0
  const timer = setInterval(() => turnCount++, 1)
  const { paths } = await readText(text, 1_000_000)
  clearInterval(timer)
  t.is(paths.length, 20_000)
  t.true(turnCount > 3)
})
