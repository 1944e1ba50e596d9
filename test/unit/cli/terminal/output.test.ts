// runs: alone

import test from 'ava'
import {
  colorsFor,
  formatDuration,
  formatFields,
  formatTable,
  linked,
  outputWidth,
  showsLinks,
  wrapStyled,
} from '../../../../src/cli/terminal/output.js'
import { displayWidth } from '../../../../src/cli/terminal/text.js'

const plain = colorsFor({ isTTY: false })

test.serial('colours follow FORCE_COLOR, then NO_COLOR, then the terminal', t => {
  const { FORCE_COLOR, NO_COLOR } = process.env
  t.teardown(() => Object.assign(process.env, { FORCE_COLOR: FORCE_COLOR ?? '', NO_COLOR: NO_COLOR ?? '' }))
  const isColoured = (environment: Record<string, string>, isTTY: boolean) => {
    Object.assign(process.env, { FORCE_COLOR: '', NO_COLOR: '', TERM: 'xterm', ...environment })
    return colorsFor({ isTTY }).isColorSupported
  }
  t.true(isColoured({}, true))
  t.false(isColoured({}, false))
  t.false(isColoured({ NO_COLOR: '1' }, true))
  t.true(isColoured({ NO_COLOR: '1', FORCE_COLOR: '1' }, false))
  t.false(isColoured({ FORCE_COLOR: '0' }, true))
  t.false(isColoured({ TERM: 'dumb' }, true))
})

test('the output width has a usable minimum', t => {
  t.is(outputWidth({ columns: 120 }), 120)
  t.is(outputWidth({ columns: 1 }), 20)
  t.is(outputWidth({ columns: 0 }), Number(process.env.COLUMNS) || 80)
})

test('durations are readable', t => {
  t.deepEqual([0, 59.9, 301, 3600, 90_061].map(formatDuration), [
    '0 s',
    '59 s',
    '5 min 1 s',
    '1 h',
    '1 d 1 h',
  ])
})

test('fields and tables are aligned', t => {
  t.is(
    formatFields(
      [
        ['a', '1'],
        ['long', '2'],
      ],
      plain,
    ),
    'a     1\nlong  2',
  )
  t.is(
    formatTable(
      ['id', 'what'],
      [
        ['1', 'x'],
        ['100', 'y'],
      ],
      plain,
    ),
    'id   what\n1    x\n100  y',
  )
})

test('tables with wide characters are aligned', t => {
  const rows = [
    ['記憶', 'x'],
    ['abc', 'y'],
  ]
  t.is(formatTable(['A', 'B'], rows, plain), 'A     B\n記憶  x\nabc   y')
  t.is(
    formatFields(
      [
        ['記', '1'],
        ['abc', '2'],
      ],
      plain,
    ),
    '記   1\nabc  2',
  )
})

test('long fields wrap under their own column', t => {
  const fields = [['name', 'words that do not fit into one line']] as const
  t.is(formatFields(fields, plain, 30), 'name  words that do not fit\n      into one line')
})

test('a table that is wider than the terminal loses room in its widest columns, never in the first', t => {
  const red = `\u001b[31m${'y'.repeat(30)}\u001b[39m`
  const rows = [['01234567', 'x'.repeat(40), '3 d', red]]
  const lines = formatTable(['ID', 'NAME', 'AGE', 'ERROR'], rows, colorsFor({ isTTY: false }), 60).split('\n')
  t.deepEqual(
    lines.map(line => displayWidth(line)),
    [44, 60],
  )
  t.regex(lines[1] as string, /^01234567 {2}x+… {2}3 d {2}y+…$/)
  const wide = formatTable(['ID', 'ERROR'], [['01234567', red]], colorsFor({ isTTY: false }), 60)
  t.true(wide.endsWith(red))
})

test('a note breaks between words, at its indent, and colours have no width', t => {
  t.is(wrapStyled('one two three', 8), 'one two\nthree')
  t.is(wrapStyled('  one two three\nfour', 9), '  one two\n  three\nfour')
  const dim = (text: string) => `\u001b[2m${text}\u001b[22m`
  t.is(wrapStyled(dim('one two'), 7), dim('one two'))
  t.is(wrapStyled(dim('one two'), 6), dim('one\ntwo'))
  t.is(wrapStyled('  one two three', 9, 4), '  one two\n    three')
  t.is(wrapStyled('see https://example.org/long', 10), 'see\nhttps://example.org/long')
})

test('links are for terminals that show them, and lead to web pages only', t => {
  const tty = { isTTY: true }
  t.true(showsLinks({ TERM_PROGRAM: 'iTerm.app' }, tty))
  t.true(showsLinks({ VTE_VERSION: '6003' }, tty))
  t.false(showsLinks({ VTE_VERSION: '4800' }, tty))
  t.false(showsLinks({ TERM: 'xterm-256color' }, tty))
  t.false(showsLinks({ TERM_PROGRAM: 'iTerm.app', TMUX: '/tmp/x' }, tty))
  t.false(showsLinks({ TERM_PROGRAM: 'iTerm.app' }, {}))
  t.true(showsLinks({ FORCE_HYPERLINK: '1' }, {}))
  const url = 'https://example.org/a'
  t.is(linked('a', url, true), '\u001b]8;;https://example.org/a\u0007a\u001b]8;;\u0007')
  for (const other of ['file:///etc/passwd', 'https://a\u0007b', 'https://a b', null])
    t.is(linked('a', other, true), 'a')
  t.is(linked('a', url, false), 'a')
})

test('a link has no width in a table', t => {
  const cell = linked('Guide', 'https://example.org/a', true)
  const [, first] = formatTable(['DOCUMENT', 'ERROR'], [[cell, '-']], colorsFor({}), 60).split('\n')
  t.is(first, `${cell}     -`)
})
