import { useState } from 'preact/hooks'
import type { ApiKey } from '../api/types.ts'
import { now } from '../clock.ts'
import { DAY } from '../i18n/format.ts'
import { Button } from '../parts/button.tsx'
import { Filter } from '../parts/field.tsx'
import { Empty, EmptySteps, isFirst, ListState } from '../parts/list-state.tsx'
import { Menu } from '../parts/menu.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Status, type Tone } from '../parts/status.tsx'
import { Time, TimeHead } from '../parts/time.tsx'
import { organizationName, usePortal } from '../portal.ts'
import { useAction } from '../use-action.ts'
import { usePages } from '../use-loaded.ts'
import { DeactivateKey, RenameKey, RevokeKey } from './key-change.tsx'
import { CreateKey, ReplaceKey } from './key-create.tsx'

const TONES: Record<ApiKey['status'], Tone> = {
  active: 'good',
  inactive: 'off',
  expired: 'bad',
  revoked: 'off',
}

/** Warns from this many days before the expiry. */
const WARN_DAYS = 30

type Open =
  | { dialog: 'create' }
  | { dialog: 'replace' | 'rename' | 'deactivate' | 'revoke'; key: ApiKey }
  | null

export function Keys() {
  const { t, client, me, manages, mayChange, announcement } = usePortal()
  const [owner, setOwner] = useState<'me' | 'all'>('me')
  const [open, setOpen] = useState<Open>(null)
  const keys = usePages(`keys ${owner}`, (page, signal) => client.apiKeys.list({ owner, ...page }, signal))
  const close = () => setOpen(null)
  const changed = (text: string) => {
    announcement.value = text
    setOpen(null)
    void keys.reload()
  }
  const activation = useAction()
  const activate = (key: ApiKey) =>
    void activation.run(async () => {
      await client.apiKeys.activate(key.id)
      changed(t('keys.activated', { name: key.name }))
    })

  return (
    <>
      <PageHead
        title={t('keys.title')}
        sub={t('keys.sub', { organization: organizationName(me) })}
        actions={
          mayChange &&
          !isFirst(keys) && (
            <Button kind="primary" onClick={() => setOpen({ dialog: 'create' })}>
              {t('keys.create')}
            </Button>
          )
        }
      />
      {manages && (
        <div class="filters">
          <Filter
            isOpen
            label={t('keys.whose')}
            options={[
              ['me', t('keys.mine')],
              ['all', t('keys.all')],
            ]}
            value={owner}
            onChange={setOwner}
          />
        </div>
      )}
      <ErrorNotice error={activation.error} />
      <ListState
        loaded={keys}
        empty={
          <Empty title={t('keys.empty')} text={t('keys.empty.text')}>
            <EmptySteps steps={[t('keys.empty.1'), t('keys.empty.2'), t('keys.empty.3')]} />
            {mayChange && (
              <Button kind="primary" onClick={() => setOpen({ dialog: 'create' })}>
                {t('keys.create')}
              </Button>
            )}
          </Empty>
        }
      >
        {(items) => (
          <table class="keys">
            <caption class="hidden">{t('keys.title')}</caption>
            <thead>
              <tr>
                <th scope="col">{t('keys.name')}</th>
                <th scope="col">{t('keys.key')}</th>
                <th scope="col">{t('keys.status')}</th>
                {owner === 'all' && <th scope="col">{t('keys.owner')}</th>}
                <th scope="col">
                  <TimeHead label={t('keys.used')} />
                </th>
                <th scope="col">{t('keys.expires')}</th>
                <th scope="col">
                  <span class="hidden">{t('action.actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((key) => (
                <tr key={key.id}>
                  <th scope="row">{key.name}</th>
                  <td class="mono">{key.masked_key}</td>
                  <td class="phone-end">
                    <Status
                      tone={TONES[key.status]}
                      isHollow={key.status === 'inactive' || key.status === 'revoked'}
                    >
                      {t(`keys.status.${key.status}`)}
                    </Status>
                  </td>
                  {owner === 'all' && <td class="muted">{key.owner_id}</td>}
                  <td class="muted labelled" data-label={t('keys.used')}>
                    {key.last_used_at === null ? t('keys.unused') : <Time at={key.last_used_at} />}
                  </td>
                  <td class="muted labelled" data-label={t('keys.expires')}>
                    <Expiry apiKey={key} />
                  </td>
                  <td class="row-actions">
                    <div>
                      {mayChange && expiresSoon(key, now.value) && (
                        <Button
                          label={t('keys.replace.of', { name: key.name })}
                          onClick={() => setOpen({ dialog: 'replace', key })}
                        >
                          {t('keys.replace')}
                        </Button>
                      )}
                      {mayChange && (
                        <Menu
                          label={t('action.more', { name: key.name })}
                          items={[
                            isLive(key) && {
                              label: t('keys.rename'),
                              run: () => setOpen({ dialog: 'rename', key }),
                            },
                            isLive(key) && {
                              label: t('keys.replace.do'),
                              run: () => setOpen({ dialog: 'replace', key }),
                            },
                            key.status === 'active' && {
                              label: t('keys.deactivate'),
                              run: () => setOpen({ dialog: 'deactivate', key }),
                            },
                            key.status === 'inactive' && {
                              label: t('keys.activate'),
                              run: () => activate(key),
                            },
                            key.status !== 'revoked' && {
                              label: t('keys.revoke.do'),
                              isDanger: true,
                              run: () => setOpen({ dialog: 'revoke', key }),
                            },
                          ]}
                        />
                      )}
                    </div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </ListState>
      {open?.dialog === 'create' && (
        <CreateKey onClose={close} onCreated={(key) => changed(t('keys.created', { name: key.name }))} />
      )}
      {open?.dialog === 'replace' && (
        <ReplaceKey
          apiKey={open.key}
          onClose={close}
          onDone={() => changed(t('keys.created', { name: open.key.name }))}
        />
      )}
      {open?.dialog === 'rename' && <RenameKey apiKey={open.key} onClose={close} onDone={changed} />}
      {open?.dialog === 'deactivate' && <DeactivateKey apiKey={open.key} onClose={close} onDone={changed} />}
      {open?.dialog === 'revoke' && <RevokeKey apiKey={open.key} onClose={close} onDone={changed} />}
    </>
  )
}

/** The expiry of a key in words, more prominent when it is near. */
function Expiry({ apiKey }: { apiKey: ApiKey }) {
  const { t } = usePortal()
  if (apiKey.status === 'revoked') return <>{t('none')}</>
  if (!expiresSoon(apiKey, now.value)) return <Time isFuture at={apiKey.expires_at} />
  return (
    <span class={`badge ${apiKey.status === 'expired' ? 'bad' : 'warn'}`}>
      <Time isFuture at={apiKey.expires_at} />
    </span>
  )
}

const isLive = ({ status }: ApiKey) => status === 'active' || status === 'inactive'

function expiresSoon(key: ApiKey, at: number): boolean {
  return key.status !== 'revoked' && Date.parse(key.expires_at) - at < WARN_DAYS * DAY
}
