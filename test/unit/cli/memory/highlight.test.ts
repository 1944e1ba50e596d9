import test from 'ava'
import { firstMatch, highlight, queryStems } from '../../../../src/cli/memory/highlight.js'

const mark = (text: string) => `<${text}>`
const marked = (text: string, query: string) => highlight(text, queryStems(query), mark)

test('words with the same stem are marked, whatever their ending', t => {
  t.is(marked('Deploys run on Fridays', 'deploying friday'), '<Deploys> run on <Fridays>')
})

test('question words and articles are not marked', t => {
  t.is(marked('what the API is', 'what is the api'), 'what the <API> is')
})

test('a query of question words only still marks them', t => {
  t.is(marked('who are they', 'who'), '<who> are they')
})

test('marking ignores case and accents', t => {
  t.is(marked('Das Café öffnet', 'CAFE'), 'Das <Café> öffnet')
})

test('identifiers are marked as a whole when one part matches', t => {
  t.is(marked('set maxRetryCount', 'retry'), 'set <maxRetryCount>')
  t.is(marked('see src/http_server.ts', 'server'), 'see src/http_<server>.ts')
})

test('scripts without spaces are marked word by word', t => {
  t.true(marked('本番データベースはポスグレです', 'データベース').includes('<データベース>'))
})

test('nothing is marked inside other words', t => {
  t.is(marked('login catalogue', 'log'), 'login catalogue')
})

test('the first match decides where a text is cut', t => {
  t.is(firstMatch('alpha beta gamma', queryStems('gamma')), 11)
  t.is(firstMatch('alpha', queryStems('gamma')), -1)
})
