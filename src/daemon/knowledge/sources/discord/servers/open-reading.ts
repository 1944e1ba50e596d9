import { sourceKind } from '../../../../../contract/ground/wire-names.js'
import type { DiscordSettings } from '../../../../../contract/knowledge/sources/discord-settings.js'
import type { Wait } from '../../../../ground/fetch/with-retries.js'
import { resolveToken } from '../../../../ground/secrets/resolve-token.js'
import { apiRoot } from '../../api/api-root.js'
import { type KindDeps, type Pass, type Source, SourceFailure } from '../../core/kind.js'
import { createGuildClient } from './guild-client.js'
import { ContentCheck, type GuildPass, ReportedPaths } from './reading.js'
import { createRest } from './rest.js'

/** A pass together with its token, which nothing else receives. */
export interface OpenGuildPass extends GuildPass {
  token: string
  baseUrl: string
}

/**
 * Opens the API for one pass. The token is resolved now and used for this pass only.
 * @throws SourceFailure if the token is missing; ApiFault
 */
export async function openGuildPass(
  deps: Pick<KindDeps, 'configuration' | 'clock'>,
  { settings }: Pick<Source<DiscordSettings>, 'settings'>,
  pass: Pass,
  wait: Wait,
): Promise<OpenGuildPass> {
  const token = await tokenOf(settings, pass)
  const { apiBaseUrl: baseUrl } = deps.configuration().settings.sources[sourceKind.discord]
  apiRoot(baseUrl, { setting: `sources.${sourceKind.discord}.apiBaseUrl`, hasToken: true })
  const now = () => performance.now()
  const rest = createRest({ baseUrl, token, signal: pass.signal, wait, now })
  try {
    const client = createGuildClient(rest)
    const { id: self } = await client.self()
    const kept = { seen: new ContentCheck(), told: new ReportedPaths(), states: new Map() }
    return { rest, client, pass, settings, self, token, wait, clock: deps.clock, baseUrl, ...kept }
  } catch (error) {
    await rest.close()
    throw error
  }
}

/** Explains a 401: the pass ends, and nothing is removed. */
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
