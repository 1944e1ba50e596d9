import test from 'ava'
import { manifestFacts } from '../../../../../../src/daemon/knowledge/dreaming/deterministic/manifest-facts.js'

function read(fileName: string, text: string, root = `/work/shop/${fileName}`): string[] {
  return manifestFacts({ fileName, root, text }).map(({ subject, kind, attribute, value, object, quote }) => {
    if (!text.includes(quote)) throw new Error(`the quote is not in the text: ${quote}`)
    return kind === 'link'
      ? `${subject.name} ${attribute} ${object?.name}`
      : `${subject.name} ${attribute} = ${value}`
  })
}

const files: Readonly<Record<string, readonly [text: string, facts: readonly string[]]>> = {
  'package.json': [
    JSON.stringify(
      {
        name: '@acme/web',
        version: '2.1.0',
        license: 'MIT',
        engines: { node: '>=20' },
        packageManager: 'pnpm@9.1.0',
        dependencies: { fastify: '^5.1.0' },
        devDependencies: { vitest: '^3.0.0', '@acme/tidy': '1.0.0' },
      },
      null,
      2,
    ),
    [
      '@acme/web version = 2.1.0',
      '@acme/web licence = MIT',
      '@acme/web Node version = >=20',
      '@acme/web package manager = pnpm',
      '@acme/web pnpm version = 9.1.0',
      '@acme/web depends on fastify',
      '@acme/web fastify version = ^5.1.0',
      '@acme/web depends on vitest',
      '@acme/web vitest version = ^3.0.0',
    ],
  ],
  'go.mod': [
    'module github.com/acme/ledger/v2\n\ngo 1.23\n\nrequire (\n\tgithub.com/jackc/pgx/v5 v5.7.1\n\tgolang.org/x/sync v0.8.0 // indirect\n)\n',
    ['ledger Go version = 1.23', 'ledger depends on pgx', 'ledger pgx version = v5.7.1'],
  ],
  'Cargo.toml': [
    '[package]\nname = "parser"\nversion = "0.3.1"\nrust-version = "1.80"\n\n[dependencies]\nserde = { version = "1.0", features = ["derive"] }\nlocal = { path = "../local" }\n',
    [
      'parser version = 0.3.1',
      'parser Rust version = 1.80',
      'parser depends on serde',
      'parser serde version = 1.0',
      'parser depends on local',
    ],
  ],
  'pyproject.toml': [
    '[project]\nname = "etl"\nversion = "1.0.0"\nrequires-python = ">=3.11"\ndependencies = [\n  "polars>=1.2",\n  "httpx[http2]",\n]\n',
    [
      'etl version = 1.0.0',
      'etl Python version = >=3.11',
      'etl depends on polars',
      'etl polars version = >=1.2',
      'etl depends on httpx',
    ],
  ],
  'docker-compose.yml': [
    'services:\n  api:\n    build: .\n    ports:\n      - "8080:80"\n    depends_on:\n      - db\n  db:\n    image: postgres:16-alpine\n',
    [
      'api part of shop',
      'api depends on db',
      'api port = 8080',
      'db part of shop',
      'db uses postgres',
      'db postgres version = 16',
    ],
  ],
  CODEOWNERS: [
    '# everything\n* @acme/core\n/services/checkout/ @ann @ben # since May\n*.md @docs\n/src/main.ts @zoe\n',
    [
      '@acme/core owns shop',
      'shop owner = @acme/core',
      '@ann owns checkout',
      '@ben owns checkout',
      'checkout owner = @ann and @ben',
    ],
  ],
}

for (const [fileName, [text, facts]] of Object.entries(files))
  test(`${fileName}: what a manifest says by its structure`, t => {
    t.deepEqual(read(fileName, text), facts)
  })

test('a file with the name of a manifest that is none says nothing', t => {
  t.deepEqual(read('package.json', 'not json'), [])
  t.deepEqual(read('Cargo.toml', '= ='), [])
  t.deepEqual(read('docker-compose.yml', '- a\n- b'), [])
  t.deepEqual(read('notes.json', '{"name":"x","version":"1"}'), [])
})
