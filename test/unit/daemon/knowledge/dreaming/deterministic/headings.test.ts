import test from 'ava'
import { readText } from '../../../../../helpers/rule-reading.js'

const forms: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'a heading': {
    '# Invoice service\n- port 8412\n- owned by Dana\n- written in Kotlin\n- uses Redis': [
      'Invoice service port = 8412',
      'Invoice service owner = Dana',
      'Dana owns Invoice service',
      'Invoice service written in Kotlin',
      'Invoice service uses Redis',
    ],
    '## mail-relay\nRepo: https://git.example/mail-relay\nIt runs on Debian 12.\nfirmware 2.4.1': [
      'mail-relay repository = https://git.example/mail-relay',
      'mail-relay runs on Debian',
      'mail-relay Debian version = 12',
      'mail-relay version = 2.4.1',
    ],
    'Invoice API\n===========\n- maintained by Ruben\n- depends on: Kafka': [
      'Invoice API maintainer = Ruben',
      'Ruben maintains Invoice API',
      'Invoice API depends on Kafka',
    ],
    '**Label printer**\nDriver: ZDesigner 10': ['Label printer Driver = ZDesigner 10 ?'],
    'Sensor gateway:\n- MCU: STM32H7\n- Owner: Ines\n\nStaging URL: https://stage.example': [
      'Sensor gateway MCU = STM32H7',
      'Sensor gateway owner = Ines',
      'Ines owns Sensor gateway',
      'shop Staging URL = https://stage.example',
    ],
  },
  'a heading of a thing that does something': {
    '# Billing service\n- port 8412': ['Billing service port = 8412'],
    '# Restarting worker\n- port 8412': [],
    '# Billing\n- port 8412': [],
  },
  'a heading that names no thing': {
    '# Setup\n- Database: Postgres 16': ['shop Database = Postgres 16'],
    '# Open questions\n- owned by Dana': [],
    '# How to deploy\n- port 8412': [],
    '# Orders API\n## Ports\n- Port: 8080': ['Orders API port = 8080'],
    '```\n# Invoice service\nport 8412\n```': [],
  },
  'rules below a heading': {
    '# Invoice service\n- Never restart the workers during settlement.': [
      'shop restart the workers = Never restart the workers during settlement',
    ],
  },
  'keys of a thing': {
    'Service: payouts\nOwner: Milan\nPort: 9203': [
      'payouts owner = Milan',
      'Milan owns payouts',
      'payouts port = 9203',
    ],
    'Service: payouts, Owner: Milan, Port: 9203': [
      'payouts owner = Milan',
      'Milan owns payouts',
      'payouts port = 9203',
    ],
    'Topic: vector index\nWe use Faiss for it.\n\nOwner: Ann': [
      'vector index uses Faiss',
      'shop owner = Ann',
      'Ann owns shop',
    ],
  },
  'a table': {
    '| Model | Owner | Notes |\n|---|---|---|\n| churn | Pavel | old |\n| ranking | Sumi | - |': [
      'churn owner = Pavel',
      'Pavel owns churn',
      'ranking owner = Sumi',
      'Sumi owns ranking',
    ],
    '| Setting | Value |\n|---|---|\n| Database | Postgres 16 |\n| Mood | good |': [
      'shop Database = Postgres 16',
    ],
  },
  'a heading that names a property': {
    'Ports:\n- web: 8000\n- metrics: 9090': ['shop web port = 8000', 'shop metrics port = 9090'],
    '## Owners\n- invoices: Kim Falk\n- search - Priya': [
      'invoices owner = Kim Falk',
      'Kim Falk owns invoices',
      'search owner = Priya',
      'Priya owns search',
    ],
    '# Billing service\n## Timeouts\n* connect: 2 s\n* read: soon': ['Billing service connect timeout = 2 s'],
    '## URLs\n- staging: https://st.acme.example\n- see the wiki': [
      'shop staging url = https://st.acme.example',
    ],
  },
  'front matter': {
    '---\ntitle: core-parser\nowner: Ann\n---\nPort: 8080\nwritten in Rust': [
      'core-parser owner = Ann',
      'Ann owns core-parser',
      'core-parser port = 8080',
      'core-parser written in Rust',
    ],
  },
}

for (const [form, notes] of Object.entries(forms))
  test(`${form} gives its lines their subject`, async t => {
    for (const [text, expected] of Object.entries(notes)) {
      const told = await readText(text)
      t.deepEqual(told, expected, text)
    }
  })

test('what somebody types in a conversation has no headings', async t => {
  t.deepEqual(
    await readText('# Invoice service\n- port 8412', { sourceKind: 'transcript', speaker: 'user' }),
    [],
  )
})
