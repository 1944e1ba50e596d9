import type { ExecutionContext } from 'ava'
import type { Reply } from '../../src/contract/api.js'
import { capture } from './captures.js'
import type { TestDaemon } from './daemon.js'
import { type CodeProject, codeProject, enableCode, indexProject } from './indexed-project.js'
import { operation, perform } from './ontology.js'
import { readText } from './read-documents.js'
import { readVault, vaultOf } from './sources.js'

export type FoundItem = Reply<'POST /api/search'>['items'][number]

/** Saves one thing of every kind about the lighthouse, in a project of code. */
export async function everyKind(t: ExecutionContext, daemon: TestDaemon): Promise<CodeProject> {
  const project = codeProject(t, {
    'src/lighthouse.ts':
      '/** Switches the lighthouse lamp on. */\nexport function lightLighthouse(): void {}\n',
  })
  const { root } = project
  const memory = await daemon.remember('The lighthouse lamp is replaced every March.', { project: root })
  await capture(daemon, {
    sessionKey: 'talk',
    project: root,
    transcript: [
      'user: Good morning, let us plan the harbour.',
      'assistant: What comes first?',
      'user: The lighthouse lamp flickers at night.',
      'assistant: Then the relay is worn.',
    ].join('\n'),
  })
  await readText(daemon, '# Upkeep\n\nThe lighthouse lamp takes 400 watts.\n\n# Paint\n\nIt is red.', {
    title: 'Manual',
    project: root,
  })
  await readVault(daemon, vaultOf(t, { 'Lamps.md': '# Spare\n\nA spare lighthouse lamp is in the shed.' }))
  await enableCode(daemon)
  await indexProject(daemon, root)
  await perform(daemon, [
    operation('create_entity', { name: 'Lighthouse', type: 'building' }, { [memory]: 'The lighthouse lamp' }),
  ])
  return project
}

export async function searchAll(
  { call }: Pick<TestDaemon, 'call'>,
  body: NonNullable<Parameters<TestDaemon['call']>[1]>['body'] & object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply<'POST /api/search'>> {
  const reply = await call('POST /api/search', { body: body as never, headers: headers as never })
  if (reply.status !== 200) throw new Error(`search answered ${reply.status}: ${JSON.stringify(reply.body)}`)
  return reply.body
}
