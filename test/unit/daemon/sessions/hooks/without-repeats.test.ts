import test from 'ava'
import { withoutRepeats } from '../../../../../src/daemon/sessions/hooks/without-repeats.js'

const told = 'Moved the till to /checkout, with its tests. Next steps: delete the old till.'
const summary = [
  '## Global Head (Tier 1)\n\n- **/shop**: 1 memory\n',
  `## Thread Heads (Tier 2)\n\n- **/shop** (2026-01-01, compaction): ${told}\n- **/a: b** (2026-01-01, session): Other work\n`,
  `## Session Ledger (Last 30 Days)\n\n- 2026-01-01 compaction, codex, /shop: ${told.slice(0, 60)}…\n`,
  '## Open Threads\n\n- /shop, 2026-01-01: Next steps: delete the old till.\n- /bank, 2026-01-01: not yet done\n',
  `## Durable Notes & Constraints\n\n- [rule]: ${told}\n`,
]

test('entries already shown are removed, but only in sections about sessions', t => {
  t.is(
    withoutRepeats(summary.join('\n'), [told]),
    [
      summary[0],
      '## Thread Heads (Tier 2)\n\n- **/a: b** (2026-01-01, session): Other work\n',
      '## Open Threads\n\n- /bank, 2026-01-01: not yet done\n',
      summary[4],
    ].join('\n'),
  )
})

test('an entry of several lines is compared by its words and removed as a whole', t => {
  const entry =
    '- **/shop** (2026-01-01, compaction):\n  Moved the till to /checkout,\n  with its tests. Next…\n'
  t.is(
    withoutRepeats(`## Thread Heads (Tier 2)\n\n${entry}- **/b**: stays\n`, [told]),
    '## Thread Heads (Tier 2)\n\n- **/b**: stays\n\n',
  )
})

test('a shown text that was cut matches an entry with the same beginning', t => {
  const section = `## Thread Heads (Tier 2)\n\n- **/shop**: ${told}\n`
  t.is(withoutRepeats(section, [`${told.slice(0, 50)}…`]), '')
  t.is(withoutRepeats(section, [`${told.slice(0, 10)}…`]), section, 'too short to be sure')
})

test('a text is recognised although MEMORY.md hides a credential in it', t => {
  const entry = '## Thread Heads (Tier 2)\n\n- **/shop**: the key is ghp_0123456789abcdefghij, says the log\n'
  const hidden = entry.replace(/ghp_\w+/u, '[secret]')
  t.is(withoutRepeats(hidden, ['the key is ghp_0123456789abcdefghij, says the log']), '')
})

test('nothing changes if nothing was shown or only words are shared', t => {
  const text = summary.join('\n')
  t.is(withoutRepeats(text, []), text)
  t.is(withoutRepeats(text, ['not yet', 'something else entirely']), text)
})
