import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { cliWorkspace, runCli, startCli, until } from '../helpers/cli.js'
import { runHere } from '../helpers/commands-here.js'
import { startProxy } from '../helpers/tcp-proxy.js'
import { temporaryFolder } from '../helpers/temporary-folder.js'
import { exportedLine } from '../helpers/transcript-imports.js'

function fileOf(t: ExecutionContext, name: string, text: string): string {
  const path = join(temporaryFolder(t, 'imports'), name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

const exported = `${exportedLine('s1', ['where is the crane', 'at the quay'])}\nno json\n`

test('an export is uploaded and imported with a summary of its rejections', async t => {
  const file = fileOf(t, 'export.jsonl', exported)
  const dry = await runHere(t, ['import', 'transcripts', file, '--from', 'service-export', '--dry-run'])
  t.regex(dry.stdout, /^Would upload 1 file, /u)
  const { code, stdout } = await runHere(t, ['import', 'transcripts', file, '--from', 'service-export'])
  t.is(code, 0)
  t.regex(
    stdout,
    /^Imported 1 conversation with 2 messages\n {2}1 rejected\n {4}export\.jsonl:2: the record is not a JSON object/u,
  )
  const found = await runHere(t, ['sessions', 'search', 'crane', '--json'])
  t.is(found.json().hits[0].sessionKey, 's1')
  const again = await runHere(t, ['import', 'transcripts', file, '--from', 'service-export', '--json'])
  t.like(again.json(), { imported: 0, duplicate: 1, rejected: 1 })
})

test('an import with only rejections fails, and names the file and its format', async t => {
  const file = fileOf(t, 'notes.jsonl', '{"a": 1}\n[2]\n')
  const { code, stdout } = await runHere(t, ['import', 'transcripts', file, '--from', 'service-export'])
  t.is(code, 1)
  t.regex(stdout, /^Imported 0 conversations/u)
  t.regex(stdout, /notes\.jsonl:1: .*\n.*notes\.jsonl:2: .*a list/u)
  const unsaid = await runHere(t, ['import', 'transcripts', file])
  t.is(unsaid.code, 2)
  t.regex(unsaid.stderr, /service-export, chatgpt-export, claude-export, gemini-takeout/u)
})

test('a Takeout of Gemini is found in its folder, and recognized by its content', async t => {
  const file = fileOf(
    t,
    'Takeout/My Activity/Gemini Apps/MyActivity.json',
    JSON.stringify([
      {
        header: 'Gemini Apps',
        title: 'Prompted where does the relay listen',
        time: '2026-01-01T10:00:00Z',
        safeHtmlItem: [{ html: '<p>On 9123.</p>' }],
      },
    ]),
  )
  const folder = join(dirname(file), '../..')
  const search = join(dirname(file), '../Search')
  mkdirSync(search)
  writeFileSync(join(search, 'MyActivity.json'), '[{"header":"Search","title":"Searched for relay"}]')
  const imported = await runHere(t, ['import', 'transcripts', folder, '--from', 'gemini-takeout', '--json'])
  t.like(imported.json(), { imported: 1, rejected: 0, files: { length: 1 } })
  const again = await runHere(t, ['import', file, '--json'])
  t.like(again.json(), { imported: 0, duplicate: 1 })
  const none = await runHere(t, ['import', 'transcripts', search, '--from', 'gemini-takeout'])
  t.is(none.code, 2)
  t.regex(none.stderr, /takeout\.google\.com/u)
})

test('importing the same file again reports duplicates, for the given agent', async t => {
  const lines = Array.from({ length: 300 }, (_, n) => exportedLine(`s${n}`, ['crane '.repeat(1000), 'yes']))
  const file = fileOf(t, 'export.jsonl', lines.join('\n'))
  const args = ['import', 'transcripts', file, '--from', 'service-export', '--agent', 'maya', '--json']
  const { id } = (await runHere(t, args)).json()
  const second = (await runHere(t, args)).json()
  t.not(second.id, id)
  t.like(second, { agentId: 'maya', duplicate: 300, imported: 0 })
})

test('Ctrl-C ends the command but keeps the upload: running it again continues', async t => {
  // Lines that are rejected at once make the upload the longest part.
  const lines = [...Array.from({ length: 60 }, (_, n) => `${n}${'x'.repeat(1_000_000)}`), exported]
  const file = fileOf(t, 'export.jsonl', lines.join('\n'))
  const args = ['import', 'transcripts', file, '--from', 'service-export', '--json']
  await runCli(t, ['daemon', 'start'])
  const { url } = (await runCli(t, ['daemon', 'status', '--json'])).json()
  const look = async (path: string) => (await fetch(`${url}/api/sources/imports${path}`)).json()
  const proxy = await startProxy(t, url)
  proxy.once('\n30xxx', proxy.stop)
  const command = startCli(t, args, { env: { SERVICE_DAEMON_URL: proxy.url } })
  await until(async () => ((await look('')) as { count: number }).count === 1, 'the import has started')
  const [{ id }] = ((await look('')) as { jobs: [{ id: string }] }).jobs
  const offset = async () =>
    ((await look(`/${id}`)) as { files: { upload_offset: number }[] }).files[0]?.upload_offset ?? 0
  await until(async () => (await offset()) > 0, 'a part is uploaded')
  command.kill('SIGINT')
  await command
  t.true((await offset()) < lines.join('\n').length)
  const again = (await runCli(t, args)).json()
  t.like(again, { id, state: 'completed', imported: 1, rejected: 61 })
})

test('imports are listed, shown, paused and cancelled, and an unknown import is reported', async t => {
  const file = fileOf(
    t,
    'conversations.json',
    '[{"uuid": "u1", "chat_messages": [{"sender": "human", "text": "hello"}]}]',
  )
  const { id } = (
    await runHere(t, ['import', 'transcripts', file, '--from', 'claude-export', '--json'])
  ).json()
  t.regex(
    (await runHere(t, ['imports', 'list'])).stdout,
    new RegExp(`^${id}\\t\\S+\\tcompleted\\t1\\t0\\t0\\t0\\tclaude-export: `, 'mu'),
  )
  t.regex(
    (await runHere(t, ['imports', 'show', id])).stdout,
    /^records +1: 1 imported, 0 duplicate, 0 rejected, 0 pending$/mu,
  )
  t.regex((await runHere(t, ['imports', 'rejections', id])).stderr, /No rejected records/u)
  for (const command of ['pause', 'resume', 'retry'])
    t.is(
      (await runHere(t, ['imports', command, id])).stdout.trim(),
      'Nothing changed: the import is completed',
    )
  t.is((await runHere(t, ['imports', 'cancel', id])).code, 2)
  t.like((await runHere(t, ['imports', 'cancel', id, '--yes', '--json'])).json(), { changed: false })
  t.is((await runHere(t, ['imports', 'show', 'none'])).code, 3)
  t.is(
    (await runHere(t, ['import', 'transcripts', file, '--from', 'claude-export', '--since', '30d'])).code,
    2,
  )
})

test('import recognizes what it is given, and reads each once', async t => {
  const folder = temporaryFolder(t, 'memory-import')
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  await runHere(t, ['remember', 'the kiln is fired on Mondays'])
  const memories = write('memories.txt', (await runHere(t, ['export'])).stdout)
  const sessions = write('sessions.jsonl', exportedLine('s1', ['the crane', 'yes']))
  const chat = write('chat.json', '[{"uuid": "c1", "name": "x", "chat_messages": []}]')
  const page = write('handbook.md', '# Handbook')
  const { imports } = (await runHere(t, ['import', memories, sessions, page, '--dry-run', '--json'])).json()
  t.like(imports[0], { dryRun: true, memories: 1, skipped: 1 })
  t.like(imports[1], { from: 'service-export', files: 1 })
  t.like(imports[2], { dryRun: true, documents: [{ kind: 'file', path: page }] })
  t.is((await runHere(t, ['import', chat, '--dry-run', '--json'])).json().from, 'claude-export')
  t.like((await runHere(t, ['import', page, '--json'])).json(), {
    failed: 0,
    documents: [{ status: 'done' }],
  })
  t.is((await runHere(t, ['import', join(folder, 'nowhere')])).code, 2)
})

test('import without arguments imports the sessions of every coding agent', async t => {
  const none = await runHere(t, ['import'])
  t.is(none.code, 0, none.stderr)
  t.regex(none.stderr, /No sessions of coding agents were found/)
  const projects = join(cliWorkspace(t), '.claude', 'projects', '-home-ada-billing')
  mkdirSync(projects, { recursive: true })
  copyFileSync(
    join(import.meta.dirname, '..', 'fixtures', 'transcripts', 'claude-code.jsonl'),
    join(projects, '5f0c1f0e-7c1a-4a55-9b1e-0d6f1f6d2a11.jsonl'),
  )
  t.like((await runHere(t, ['import', '--json'])).json(), { imports: [{ from: 'claude-code', imported: 1 }] })
})
