import test from 'ava'
import { withoutMarks } from '../../../../../../src/daemon/ground/reading/layout/below-heading.js'
import { readText } from '../../../../../helpers/rule-reading.js'

const bare: Readonly<Record<string, string>> = {
  'port `4455` of **Billing API**': 'port 4455 of Billing API',
  'uses _Puppeteer_ and *Kotlin*, see [[Payments]]': 'uses Puppeteer and Kotlin, see Payments',
  'run `npm test`, then `deploy`': 'run `npm test`, then `deploy`',
  'src/**/*.ts, snake_case, __init__ and 3 * 4 * 5': 'src/**/*.ts, snake_case, __init__ and 3 * 4 * 5',
  '[stage](https://stage.example) and [[a|b]]': '[stage](https://stage.example) and [[a|b]]',
}

for (const [given, text] of Object.entries(bare))
  test(`marks of Markdown are taken off names and values: ${given} (knowledge.md#what-is-read)`, t => {
    t.is(withoutMarks(given).text, text)
  })

test('words of the result are found in the given line, with the marks beside them', t => {
  const { given } = withoutMarks('The **Billing API** listens on `4455`. It uses *Kotlin*.')
  t.is(given('The Billing API listens on 4455'), 'The **Billing API** listens on `4455`')
  t.is(given('It uses Kotlin'), 'It uses *Kotlin*')
  t.is(given('elsewhere'), 'elsewhere')
})

const facts: Readonly<Record<string, readonly string[]>> = {
  'The billing service listens on port `4455`.': ['billing service port = 4455'],
  '# Billing service\n- port `4455`\n- written in *Kotlin*': [
    'Billing service port = 4455',
    'Billing service written in Kotlin',
  ],
  '- **Owner**: @dana': ['shop owner = @dana', '@dana owns shop'],
  'The `orders` table is in `Postgres`.': ['orders table located in Postgres'],
  'The web team moved to Vue, its lead is Ann': [
    'web team uses Vue',
    'web team lead = Ann',
    'Ann lead of web team',
  ],
}

for (const [text, expected] of Object.entries(facts))
  test(`facts have no marks of Markdown: ${text.replaceAll('\n', ' ')} (knowledge.md#what-is-read)`, async t => {
    t.deepEqual(await readText(text), expected)
  })
