import { notApplicable, type Outcome, unless } from './checks.js'
import type { Scene } from './run-agent.js'
import { conversationOf, wholeSession } from './scenario.js'

/**
 * Imports the agent's history. In a workspace that its hooks have filled nothing must change; in an empty one
 * the conversation must be the same.
 */
export async function checkImport({ agent, home }: Scene, id: string): Promise<Outcome> {
  const { importedAs } = agent
  if (importedAs === undefined) return notApplicable('no importer for its sessions')
  const read = async (...where: string[]) =>
    (await home.memory<{ content: string }>('sessions', 'transcript', id, ...where)).content
  const imported = (...where: string[]) =>
    home.memory('import', 'transcripts', '--from', importedAs, ...where)
  const before = await read().catch(() => undefined)
  await imported()
  const after = await read()
  home.write('fresh/agent.yaml', home.read('.memory-service/agent.yaml') ?? '')
  const fresh = ['--workspace', home.path('fresh')]
  await imported(...fresh)
  const alone = await read(...fresh)
  await home.memory('daemon', 'stop', ...fresh)
  return unless([
    before !== undefined && after !== before && 'the stored conversation changed',
    alone !== conversationOf(wholeSession(agent)).join('\n\n') &&
      'an empty workspace gets a different conversation',
  ])
}
