import test from 'ava'
import { savedLines } from '../../../../src/cli/memory/remember.js'
import { colorsFor } from '../../../../src/cli/terminal/output.js'

const colors = colorsFor({ isTTY: false })
const reply: Parameters<typeof savedLines>[0] = {
  id: 'id-1',
  type: 'decision',
  tags: 'a,b',
  pinned: false,
  importance: 0.8,
  content: 'Use "pnpm" for all $builds in this repository',
  embedded: false,
  entities_linked: 0,
  hints_written: 0,
  structured: false,
  structured_applied: false,
  deduped: false,
  contentSafety: { status: 'clean', contextEligible: true, reasons: [], policyVersion: '1', scannedAt: '' },
}

test('a save shows id, type, tags, search method and a query to try', t => {
  t.deepEqual(savedLines(reply, colors), [
    'Saved  id-1',
    '  decision  importance 0.80  #a  #b',
    '  Found by keyword',
    'Next: memory recall "Use pnpm for all builds"',
  ])
})

test('a save reports vectors, hints and pins', t => {
  const text = savedLines({ ...reply, embedded: true, hints_written: 2, pinned: true }, colors).join('\n')
  t.regex(text, /pinned/)
  t.regex(text, /Found by keyword and meaning, and by 2 hints/)
})

test('a save says that search by meaning is missing only where it is missing for long', t => {
  const found = (state: Parameters<typeof savedLines>[3]) => savedLines(reply, colors, {}, state)[2]?.trim()
  t.is(found('ready'), 'Found by keyword and meaning')
  t.is(found('off'), 'Found by keyword; search by meaning is off')
  t.is(
    found('failing'),
    'Found by keyword, not yet by meaning: the model is failing (memory embedding status)',
  )
})

test('a duplicate is reported as already known', t => {
  t.is(savedLines({ ...reply, deduped: true }, colors)[0], 'Already saved  id-1')
})

test('a tainted text is reported as left out of recall', t => {
  const contentSafety = {
    ...reply.contentSafety,
    status: 'tainted' as const,
    contextEligible: false,
    reasons: ['prompt_injection' as const],
  }
  const text = savedLines({ ...reply, contentSafety }, colors).join('\n')
  t.regex(text, /excluded from recall.*tainted \(prompt_injection\)/)
  t.notRegex(text, /memory recall/, 'it would find nothing')
})

test('the suggested query is short, is not a flag, and appears only with usable words', t => {
  const next = (content: string, kept = {}) => savedLines({ ...reply, content }, colors, kept)[3]
  t.is(next('--force is $(never) allowed on main'), 'Next: memory recall "force is (never) allowed on"')
  t.is(next(`${'x'.repeat(7000)} is the token`), 'Next: memory recall "is the token"')
  t.is(next(Array(5).fill('Donaudampfschifffahrt').join(' '))?.length, 'Next: memory recall ""'.length + 43)
  for (const content of ['x'.repeat(7000), '--- ???', '"$`!"']) t.is(next(content), undefined)
  t.is(
    next('red paint', { scope: 'my shop', agent: 'ada' }),
    `Next: memory recall "red paint" --scope 'my shop' --agent ada`,
  )
})

test('a text that looks like a credential triggers a warning', t => {
  const told = (content: string) => savedLines({ ...reply, content }, colors).join('\n')
  t.regex(
    told('the staging key is sk-abcdefghijklmnopqrstuvwxyz0123'),
    /looks like a credential.*memory secrets set/,
  )
  t.notRegex(told('the staging key is in the safe'), /credential/)
})
