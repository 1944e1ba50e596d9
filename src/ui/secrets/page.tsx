import { may } from '../api/session.js'
import { PageHead, type Tab } from '../parts/tabs.js'
import type { PageProps } from '../routing/router.js'
import { Providers } from './providers.js'
import { SecretList } from './secret-list.js'
import { Store } from './store.js'

/** Names, providers and last use of secrets. Values can be set here but are never shown. */
export default function Secrets({ place }: PageProps) {
  const [part] = place.rest
  const tabs: readonly Tab[] = [
    { title: 'Secrets' },
    ...(may('admin')
      ? [
          { part: 'providers', title: 'Password managers' },
          { part: 'store', title: 'Store' },
        ]
      : []),
  ]
  return (
    <>
      <PageHead page="secrets" title="Secrets" tabs={tabs} open={part} />
      {part === undefined && <SecretList />}
      {part === 'providers' && <Providers />}
      {part === 'store' && <Store />}
    </>
  )
}
