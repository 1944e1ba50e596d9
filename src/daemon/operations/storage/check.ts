import type { Reply, Request } from '../../../contract/api.js'
import { serverUrl } from '../../ground/storage/server-url.js'
import type { Daemon } from '../../platform/daemon/daemon.js'
import { lookAtStore, lookedAt } from './status.js'

type Deps = Pick<Daemon, 'store' | 'paths' | 'room' | 'integrity' | 'secrets'>
type Checked = Reply<'POST /api/storage/check'>

/** Checks a server before memories are moved there, or the present store. */
export async function checkStorage(
  deps: Deps,
  { to, schema }: NonNullable<Request<'POST /api/storage/check'>['body']>,
): Promise<Checked> {
  const looked = to === undefined ? await lookAtStore(deps) : await lookAtServer(deps, { to, schema })
  return { ...looked, usable: looked.checks.every(({ severity }) => severity !== 'error') }
}

/** @throws AppError `not_found` for a secret that is not there, `validation_failed` for one that is no URL */
export async function lookAtServer(
  { secrets }: Pick<Deps, 'secrets'>,
  { to, schema = 'memory' }: { to: string; schema?: string | undefined },
) {
  const url = await serverUrl(to, secrets)
  const [{ lookFrom }, { placeOf }] = await Promise.all([
    import('../../../store/postgres/look.js'),
    import('../../../store/postgres/settings.js'),
  ])
  const settings = { url, schema }
  return lookedAt({ place: placeOf(settings), look: () => lookFrom(settings) })
}
