import test from 'ava'
import {
  Analyzer,
  holdsWord,
  maxAnalysedChars,
  maxUnspacedChars,
} from '../../../../../../src/store/index/words/analysis/analyzer.js'

const analyzer = new Analyzer()
const terms = (text: string) => analyzer.index(text)

/** Returns true if all terms of a query occur in a text. */
const finds = (query: string, text: string) => {
  const known = new Set(analyzer.index(text))
  const wanted = analyzer.query(query)
  return wanted.length > 0 && wanted.every(term => known.has(term))
}

test('English words are stemmed, and the shortest ones left out', t => {
  t.deepEqual(terms('The deployments are failing'), ['deploy', 'fail'])
  t.deepEqual(terms("Caroline's dog didn't bark"), ['carolin', 'dog', 'didnt', 'bark'])
})

test('question words are removed from queries only', t => {
  t.deepEqual(analyzer.query('When did Melanie run the race?'), ['melani', 'run', 'race'])
  t.true(terms('When did it start').includes('when'))
  t.deepEqual(analyzer.query('What is it? And why?'), [])
})

test('identifiers, paths and dotted names are found whole and by their parts', t => {
  const cases: [text: string, queries: string[]][] = [
    ['call createMemoryIndex()', ['createMemoryIndex', 'memory index', 'creatememoryindex']],
    ['XMLHttpRequest', ['xml', 'http request', 'xmlhttprequest']],
    ['set user_id in snake_case', ['user_id', 'user', 'snake case']],
    ['the kebab-case-name', ['kebab-case-name', 'kebab', 'kebab case']],
    [
      'see src/store/index/memory-index.ts',
      ['src/store/index/memory-index.ts', 'memory-index.ts', 'store memory'],
    ],
    ['C:\\Users\\Ann\\notes.txt', ['notes.txt', 'users ann']],
    ['https://github.com/oramasearch/orama', ['github.com', 'orama']],
    ['mail ann@example.com', ['ann@example.com', 'example.com', 'ann']],
    ['process.env.HOME', ['process.env.home', 'env']],
    ['written in C++ and C#', ['c++', 'c#']],
    ['@scope/package', ['scope/package', 'package']],
  ]
  for (const [text, queries] of cases)
    for (const query of queries) t.true(finds(query, text), `${query} in ${text}`)
})

test('versions and numbers are found whole and by their parts', t => {
  t.true(finds('3.1.18', 'Orama v3.1.18 is out'))
  t.true(finds('v3.1', 'Orama 3.1.18 is out'))
  t.false(finds('3.1.1', 'Orama 3.1.18 is out'))
  t.true(finds('1200', 'it cost 1,200 dollars'))
  t.true(finds('2023', 'on 2023-05-08'))
  t.true(finds('sha256', 'a sha256 sum'))
})

test('accents, ligatures and full-width forms are folded', t => {
  t.true(finds('kase', 'Käse'))
  t.true(finds('Käse', 'kase'))
  t.true(finds('naïve', 'nai\u0308ve'))
  t.true(finds('strasse', 'Straße'))
  t.true(finds('abc', 'ＡＢＣ'))
  t.true(finds('Ελλαδα', 'Ελλάδα'))
})

test('scripts without spaces are split into words', t => {
  t.true(finds('東京', '昨日東京に行きました'))
  t.true(finds('猫', '猫が好きです'))
  t.true(finds('数据库', '我们使用数据库来保存记忆'))
  t.true(finds('ประเทศไทย', 'ฉันรักประเทศไทยมาก'))
  t.true(finds('서울', '저는 서울에서 살아요'))
  t.false(finds('大阪', '昨日東京に行きました'))
  t.true(finds('が', 'が'))
})

test('emoji are searchable in any presentation', t => {
  t.true(finds('🎉', 'we shipped 🎉🎉'))
  t.true(finds('❤', 'with ❤️'))
  t.true(finds('🇩🇪', 'from 🇩🇪'))
})

test('languages can be mixed in one text', t => {
  for (const query of ['deploy', '部署', 'déploiement', 'деплой']) {
    t.true(finds(query, 'The deploy (部署, déploiement, деплой) works 🎉'), query)
  }
})

test('text without letters, digits and emoji yields no terms', t => {
  t.deepEqual(terms('?! ... -- __ // \u200b'), [])
  t.deepEqual(terms(''), [])
  t.deepEqual(analyzer.query('...'), [])
})

test('queries are short and without duplicates', t => {
  t.deepEqual(analyzer.query('fox foxes fox'), ['fox'])
  t.is(analyzer.query(Array.from({ length: 500 }, (_, i) => `word${i}`).join(' ')).length, 64)
})

test('only the beginning of a very long text is analysed', t => {
  const text = `${'a'.repeat(maxAnalysedChars - 6)} early late`
  t.true(finds('early', text))
  t.false(finds('late', text))
})

test('only the beginning of a very long text without spaces is split', t => {
  const run = `${'猫'.repeat(999)}。`
  const text = `${run.repeat(Math.ceil(maxUnspacedChars / run.length) + 1)}東京 deploy`
  t.true(finds('猫', text))
  t.false(finds('東京', text))
  t.true(finds('deploy', text))
})

test('long identifiers are indexed by their beginning', t => {
  const key = 'k9'.repeat(200)
  t.true(finds(key, `the key ${key} leaked`))
  t.true(terms(key).every(term => term.length <= 128))
})

/** Returns true if a text holds every word of a query, in any form. */
const meets = (query: string, text: string) => {
  const known = new Set(analyzer.index(text))
  const words = [...analyzer.asked(query)]
  return words.length > 0 && words.every(word => holdsWord(known, word))
}

test('characters that nobody sees do not split a word', t => {
  for (const sign of ['\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u200e'])
    t.true(finds('scheduler', `The sche${sign}duler runs hourly`), escape(sign))
  t.true(finds('well-known', 'a well\u2011known port'))
})

test('a word that a line end breaks is found whole, and a hyphenated one both ways', t => {
  t.true(finds('capabilities', 'powerful capabili-\nties'))
  t.true(finds('configured', 'it is con\u00ad\nfigured'))
  for (const query of ['well-known', 'well', 'known']) t.true(finds(query, 'a well-\nknown port'), query)
})

test('letters of Arabic and Persian keyboards, digits and traditional characters meet', t => {
  const pairs = [
    ['يكي', 'سرور یکی است'],
    ['مكتبه', 'مكتبة'],
    ['مكتب', 'مـــكتب'],
    ['کتابها', 'کتاب‌ها'],
    ['5432', 'پورت ۵۴۳۲'],
    ['9123', 'رقم المنفذ ٩١٢٣'],
    ['資料庫', '资料库'],
    ['发票', '發票十年後刪除'],
  ] as const
  for (const [query, text] of pairs) t.true(meets(query, text), query)
})

test('inflected words are found in the language of their text', t => {
  const pairs = [
    ['ключ сейф', 'Мы храним ключи в сейфе'],
    ['Tresoren Schlüsseln', 'Wir speichern die Schlüssel im Tresor'],
    ['clé coffres', 'Les clés sont rangées dans le coffre'],
    ['facturas', 'La factura se borra después de diez años'],
    ['fattura', 'Le fatture sono conservate nella cassaforte'],
    ['senha', 'As senhas não são escritas nos registros'],
    ['sleutel', 'De sleutels liggen niet in de kluis van het kantoor'],
    ['nycklar', 'Nycklarna ligger i kassaskåpet och det är bra'],
    ['nøkler', 'Nøklene ligger ikke i skapet, de er på kontoret'],
    ['avaimet', 'Palvelin on päällä ja se kuuntelee, kun avaimen haku ei onnistu'],
    ['kulcsok', 'A kulcsok az irodában vannak, és ez nem változik'],
    ['anahtar', 'Bu anahtarlar için bir kasa var'],
    ['cheile', 'Cheile sunt în seif și nu pe birou'],
    ['λόγους', 'ο λόγος της απόφασης'],
  ] as const
  for (const [query, text] of pairs) t.true(meets(query, text), query)
})

test('English texts get no terms of other languages, and names in other texts stay findable', t => {
  t.false(terms('The deploy key of the relay rotates on Mondays').some(term => term.startsWith('~')))
  t.true(meets('Kubernetes relay', 'Wir betreiben das Relay nicht mit Kubernetes, und das ist gut'))
  t.true(meets('user_id', 'Die Spalte user_id ist nicht eindeutig und wird ersetzt'))
})
