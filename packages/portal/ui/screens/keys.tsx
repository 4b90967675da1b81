import { useState } from 'preact/hooks'
import type { ApiKey } from '../api/types.ts'
import { now } from '../clock.ts'
import { DAY } from '../i18n/format.ts'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { FilterBar, useFilters } from '../parts/filter.tsx'
import { Link } from '../parts/link.tsx'
import { Empty, isFirst, List } from '../parts/list.tsx'
import { Menu } from '../parts/menu.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Status, type Tone } from '../parts/status.tsx'
import { Time, TimeHead } from '../parts/time.tsx'
import { organizationName, usePortal } from '../portal.ts'
import { useAction } from '../use-action.ts'
import { usePages } from '../use-loaded.ts'
import { CreateKey, RollKey } from './key-create.tsx'
import { RenameKey } from './key-rename.tsx'

export type OpenKey =
  | { dialog: 'create' }
  | { dialog: 'roll' | 'rename' | 'deactivate' | 'revoke'; key: ApiKey }
  | null

export function Keys() {
  const { t, client, me, views, settings, mayChangeKey, announcer } = usePortal()
  const [{ owner }, choose] = useFilters({ owner: 'me' }, { owner: ['me', 'all'] })
  const [open, setOpen] = useState<OpenKey>(null)
  const keys = usePages(`keys ${owner}`, (page, signal) => client.apiKeys.list({ owner, ...page }, signal))
  const activation = useAction()
  const changed = (text: string) => {
    announcer.say(text)
    setOpen(null)
    void keys.reload()
  }
  const activate = (key: ApiKey) =>
    void activation.run(async () => {
      await client.apiKeys.activate(key.id)
      changed(t('keys.activated', { name: key.name }))
    })
  const create = !settings.readOnly && (
    <Button kind="primary" onClick={() => setOpen({ dialog: 'create' })}>
      {t('keys.create')}
    </Button>
  )
  return (
    <>
      <PageHead
        title={t('keys.title')}
        sub={t('keys.sub', { organization: organizationName(me) })}
        actions={!isFirst(keys) && create}
      />
      {views && (
        <FilterBar
          filters={[
            {
              name: 'owner',
              label: t('keys.whose'),
              isOpen: true,
              options: [
                ['me', t('keys.mine')],
                ['all', t('keys.all')],
              ],
            },
          ]}
          values={{ owner }}
          onChange={choose}
        />
      )}
      <ErrorNotice error={activation.error} />
      <List
        name="keys"
        caption={t('keys.title')}
        loaded={keys}
        empty={
          <Empty
            title={t('keys.empty')}
            text={t('keys.empty.text')}
            steps={[t('keys.empty.1'), t('keys.empty.2'), t('keys.empty.3')]}
          >
            {create}
          </Empty>
        }
        columns={[
          {
            head: t('keys.name'),
            cell: ({ id, name }) => (
              <Link class="row-link one-line" title={name} to={{ view: 'api-keys', id }}>
                {name}
              </Link>
            ),
          },
          { head: t('keys.key'), class: 'mono', cell: ({ masked_key }) => masked_key },
          {
            head: t('keys.status'),
            class: 'phone-end',
            cell: ({ status }) => <Status tone={TONES[status]}>{t(`keys.status.${status}`)}</Status>,
          },
          owner === 'all' && {
            head: t('keys.owner'),
            class: 'muted',
            cell: ({ owner_id, owner_name }) => <span title={owner_id}>{owner_name ?? owner_id}</span>,
          },
          {
            head: <TimeHead label={t('keys.used')} />,
            label: t('keys.used'),
            class: 'muted',
            cell: ({ last_used_at }) =>
              last_used_at === null ? t('keys.unused') : <Time at={last_used_at} />,
          },
          {
            head: t('keys.expires'),
            label: t('keys.expires'),
            class: 'muted',
            cell: (key) => <Expiry apiKey={key} />,
          },
          {
            head: <span class="hidden">{t('action.actions')}</span>,
            class: 'row-actions',
            cell: (key) =>
              mayChangeKey(key) && <Actions apiKey={key} onOpen={setOpen} onActivate={activate} />,
          },
        ]}
      />
      {open !== null && <OpenKeyDialog open={open} onClose={() => setOpen(null)} onDone={changed} />}
    </>
  )
}

export function OpenKeyDialog({
  open,
  onClose,
  onDone,
}: {
  open: NonNullable<OpenKey>
  onClose: () => void
  onDone: (text: string) => void
}) {
  const { t, client } = usePortal()
  if (open.dialog === 'create') {
    return <CreateKey onClose={onClose} onCreated={({ name }) => onDone(t('keys.created', { name }))} />
  }
  const { dialog, key } = open
  const { id, name, masked_key } = key
  switch (dialog) {
    case 'roll':
      return <RollKey apiKey={key} onClose={onClose} onDone={() => onDone(t('keys.created', { name }))} />
    case 'rename':
      return <RenameKey apiKey={key} onClose={onClose} onDone={onDone} />
    case 'deactivate':
      return (
        <Confirm
          title={t('keys.deactivate.title', { name })}
          text={t('keys.deactivate.text', { key: masked_key })}
          submit={t('keys.deactivate')}
          onClose={onClose}
          work={async () => {
            await client.apiKeys.deactivate(id)
            onDone(t('keys.deactivated', { name }))
          }}
        />
      )
    case 'revoke':
      return (
        <Confirm
          isDanger
          title={t('keys.revoke.title', { name })}
          text={t('keys.revoke.text', { key: masked_key })}
          submit={t('keys.revoke')}
          onClose={onClose}
          work={async () => {
            await client.apiKeys.revoke(id)
            onDone(t('keys.revoked', { name }))
          }}
        />
      )
  }
}

/** What can be done with a key: the rolling of one that expires soon beside the menu with everything. */
export function Actions({
  apiKey,
  onOpen,
  onActivate,
}: {
  apiKey: ApiKey
  onOpen: (open: OpenKey) => void
  onActivate: (key: ApiKey) => void
}) {
  const { t } = usePortal()
  const { name, status } = apiKey
  if (status === 'revoked') return null
  const isLive = status !== 'expired'
  const canRoll = status === 'active' && apiKey.replaced_by === null
  const open = (dialog: Exclude<NonNullable<OpenKey>['dialog'], 'create'>) => () =>
    onOpen({ dialog, key: apiKey })
  return (
    <div>
      {canRoll && expiresSoon(apiKey, now.value) && (
        <Button label={t('keys.roll.of', { name })} onClick={open('roll')}>
          {t('keys.roll')}
        </Button>
      )}
      <Menu
        label={t('action.more', { name })}
        items={[
          isLive && { label: t('keys.rename'), run: open('rename') },
          canRoll && { label: t('keys.roll'), run: open('roll') },
          status === 'active' && { label: t('keys.deactivate'), run: open('deactivate') },
          status === 'inactive' && { label: t('keys.activate'), run: () => onActivate(apiKey) },
          { label: t('keys.revoke.do'), isDanger: true, run: open('revoke') },
        ]}
      />
    </div>
  )
}

export const TONES: Record<ApiKey['status'], Tone> = {
  active: 'good',
  inactive: 'off',
  expired: 'bad',
  revoked: 'off',
}

/** The expiry of a key, more prominent when it is near. */
export function Expiry({ apiKey }: { apiKey: ApiKey }) {
  const { t } = usePortal()
  if (apiKey.status === 'revoked') return <>{t('none')}</>
  const time = <Time isFuture at={apiKey.expires_at} />
  if (!expiresSoon(apiKey, now.value)) return time
  return <span class={`badge ${apiKey.status === 'expired' ? 'bad' : 'warn'}`}>{time}</span>
}

/** Warns this long before the expiry, or for the last fifth of a shorter lifetime. */
const WARN_MS = 30 * DAY

function expiresSoon({ status, created_at, expires_at }: ApiKey, at: number): boolean {
  const lifetime = Date.parse(expires_at) - Date.parse(created_at)
  return status !== 'revoked' && Date.parse(expires_at) - at < Math.min(WARN_MS, lifetime / 5)
}
