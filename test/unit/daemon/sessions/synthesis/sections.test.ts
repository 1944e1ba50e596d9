import test from 'ava'
import { plainSummary, renderSections } from '../../../../../src/daemon/sessions/synthesis/sections.js'

const entry = (text: string, length: number) => `- ${text} ${'x'.repeat(length)}`

test('what sections leave goes to those without an entry first, so that none only counts what it lacks', t => {
  const sections = [
    { heading: 'Head', share: 0.5, entries: Array.from({ length: 30 }, (_, at) => entry(`head ${at}`, 30)) },
    { heading: 'Rules', share: 0.1, entries: [entry('rule', 150), entry('second', 150)] },
    { heading: 'Empty', share: 0.4, entries: [] },
  ]
  const [head = '', rules = '', empty = ''] = renderSections(sections, 200)
  t.regex(rules, /^## Rules\n\n- rule x+\n- \.\.\. and 1 more\n$/)
  t.regex(head, /- head 0 x+\n- head 1 x+\n/)
  t.is(empty, '## Empty\n\n_Nothing yet._\n')
  t.true([head, rules, empty].join('\n').length <= 200 * 4)
})

test('an entry longer than the whole budget is counted only, and MEMORY.md leaves its section out', t => {
  const [rules] = renderSections([{ heading: 'Rules', share: 1, entries: [entry('rule', 900)] }], 100)
  t.is(rules, '## Rules\n\n- ... and 1 more\n')
  t.is(plainSummary(`${rules}\n## Head\n\n- one\n- ... and 2 more\n`), '## Head\n\n- one\n- ... and 2 more\n')
})
