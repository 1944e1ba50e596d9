import test from 'ava'
import { parseIdentity } from '../../../../../src/daemon/sessions/hooks/identity.js'

const cases: Record<string, [markdown: string, name: string, description: string]> = {
  'a heading and a paragraph': ['# Ada\n\nKeeps the shop.\nMore.', 'Ada', 'Keeps the shop.'],
  fields: ['name: Ada\ndescription: "Keeps the shop"', 'Ada', 'Keeps the shop'],
  'front matter': ['---\nname: Ada\ndescription: Keeps it\n---\n# Who I am\n\nText.', 'Ada', 'Keeps it'],
  'bold list items': ['# IDENTITY.md\n- **Name:** Ada\n- **Description:** Keeps it', 'Ada', 'Keeps it'],
  'an empty field': ['# Ada\nname:\n\nKeeps it.', 'Ada', 'Keeps it.'],
  'a heading alone': ['## Ada', 'Ada', ''],
  'windows lines': ['# Ada\r\n\r\nKeeps it.\r\n', 'Ada', 'Keeps it.'],
  nothing: ['', '', ''],
  'a text without a heading': ['just words', '', ''],
}

for (const [what, [markdown, name, description]] of Object.entries(cases))
  test(`an identity of ${what} is read (rules.md 2.4)`, t => {
    t.deepEqual(parseIdentity(markdown), { name, description })
  })
