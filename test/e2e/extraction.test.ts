import { join } from 'node:path'
import test from 'ava'
import { documents } from '../helpers/documents.js'
import { openExtractor } from '../helpers/extractor.js'

test('the built process reads every supported format', async t => {
  const child = join(import.meta.dirname, '..', '..', 'dist', 'extraction-child.js')
  const { read, pids } = openExtractor(t, { child: { file: child, execArgv: [] } })
  t.like(await read('a.docx', documents.docx(['Words'])), { format: 'docx', markdown: 'Words\n' })
  t.like(await read('a.pdf', documents.pdf(['Pages'])), { format: 'pdf', markdown: 'Pages' })
  t.like(await read('a.html', '<p>Tags'), { format: 'html', markdown: 'Tags' })
  t.like(await read('a.csv', 'a,b\n1,2'), {
    format: 'csv',
    markdown: '| a | b |\n| --- | --- |\n| 1 | 2 |\n',
  })
  t.is(pids.length, 1)
})
