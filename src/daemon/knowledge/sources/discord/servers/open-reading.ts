import { sourceKind } from '../../../../../contract/ground/wire-names.js'
import type { DiscordSettings } from '../../../../../contract/knowledge/sources/discord-settings.js'
import type { Wait } from '../../../../ground/fetch/with-retries.js'
import { resolveToken } from '../../../../ground/secrets/resolve-token.js'
import { apiRoot } from '../../api/api-root.js'
import { type KindDeps, type Pass, type Source, SourceFailure } from '../../core/kind.js'
import { createGuildClient } from './guild-client.js'
import { type Reading, SeenContent, ToldPaths } from './reading.js'
import { createRest } from './rest.js'

/** A reading with the token that its connections are made with, which nothing else is told. */
export interface OpenReading extends Reading {
  token: string
  baseUrl: string
}

/**
 * Opens the API for one pass. The token is resolved now and kept for this pass alone.
 * @throws SourceFailure for a token that is not there; ApiFault
 */
export async function openReading(
  deps: Pick<KindDeps, 'configuration' | 'clock'>,
  { settings }: Pick<Source<DiscordSettings>, 'settings'>,
  pass: Pass,
  wait: Wait,
): Promise<OpenReading> {
  const token = await tokenOf(settings, pass)
  const { apiBaseUrl: baseUrl } = deps.configuration().settings.sources[sourceKind.discord]
  apiRoot(baseUrl, { setting: `sources.${sourceKind.discord}.apiBaseUrl`, hasToken: true })
  const now = () => performance.now()
  const rest = createRest({ baseUrl, token, signal: pass.signal, wait, now })
  try {
    const client = createGuildClient(rest)
    const { id: self } = await client.self()
    const kept = { seen: new SeenContent(), told: new ToldPaths(), states: new Map() }
    return { rest, client, pass, settings, self, token, wait, clock: deps.clock, baseUrl, ...kept }
  } catch (error) {
    await rest.close()
    throw error
  }
}

/** What a 401 means, whenever it comes: nothing is asked any more, and nothing is gone. */
export function refusedToken({ tokenRef }: Pick<DiscordSettings, 'tokenRef'>): string {
  return `Discord refuses the token behind ${tokenRef} (401): reset it in the developer portal, store it with memory secrets set, then memory sources sync`
}

async function tokenOf({ tokenRef }: DiscordSettings, pass: Pass): Promise<string> {
  try {
    return await resolveToken(pass.secret, tokenRef ?? '', ['Bot'])
  } catch (error) {
    pass.signal.throwIfAborted()
    throw new SourceFailure((error as Error).message)
  }
}
