import test from 'ava'
import { typeOfNote } from '../../../../../../src/daemon/ground/reading/layout/note-type.js'

const notes: Readonly<Record<string, string | undefined>> = {
  'We picked Kafka because the old queue lost messages': 'decision',
  'ADR-3: images are resized at build time': 'decision',
  'I prefer small commits': 'preference',
  'Do not push to main on Fridays': 'rule',
  'Log lines must not contain tokens': 'rule',
  'The import job times out on large files': 'issue',
  'The map does not load on old tablets': 'issue',
  'The API does not return archived users': undefined,
  'Guests cannot see prices': undefined,
  'Users cannot log in since the update to Keycloak 25': 'issue',
  'The ledger is double counting refunds': 'issue',
  'Tokens run out by Friday': 'issue',
  'Agreed: prices include tax': 'decision',
  'It turned out that Safari drops the cookie': 'learning',
  'To rotate the key: run make rotate, then restart the API': 'procedural',
  'Redis is used for sessions, never for orders': 'fact',
  'fix(cart): never round twice': 'fact',
  'cookies: add a filter for response headers (#7)': 'fact',
  'sessions: fix the login that fails (#8)': 'fact',
  'lunch was good': 'fact',
  'The cells should last three winters': undefined,
  'The second cache should be cheaper': undefined,
  'Exports should be JSON': 'rule',
  'To reviewers: the queue is empty today': undefined,
  'Labels are at most 40 characters long': 'rule',
  'Passwords belong in the vault, never in tickets': 'rule',
  'All dates are stored in UTC': 'rule',
  'From June on all new jobs are written in Kotlin': 'decision',
  'The old relay is being phased out': 'decision',
  'Uploading large scans runs out of memory; workaround: split them first': 'issue',
  'There is a race between the mailer and the archiver': 'issue',
  'Tile 4 renders blank since the import': 'issue',
  'Names with dots are sorted wrongly': 'issue',
  'We lost an afternoon because the certificate had expired': 'learning',
  'Apparently Safari ignores the header': 'learning',
  'Mira signs off every change to the parser': 'fact',
}

test('a note gets the type that a person would give it (rules.md 1.2)', t => {
  for (const [text, type] of Object.entries(notes)) t.is(typeOfNote(text), type as never, text)
})

test('a long commit message is a fact, whatever its body says (rules.md 1.2)', t => {
  const body = 'The lexer must never drop a comment. '.repeat(50)
  t.is(typeOfNote(`fix(parser): keep comments (#12) ${body}`), 'fact')
  t.is(typeOfNote(`parser: keep comments (#12) ${body}`), 'fact')
  t.is(typeOfNote(body), undefined)
})
