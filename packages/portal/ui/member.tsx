import { useEffect, useMemo, useRef } from 'preact/hooks'
import { createAnnouncer } from './announcer.ts'
import type { WebhookEndpoint } from './api/types.ts'
import { watchTime } from './clock.ts'
import { Header } from './header.tsx'
import { createFormatter } from './i18n/format.ts'
import { markEnglish } from './i18n/mark-english.ts'
import type { Translator } from './i18n/translate.ts'
import type { LeaveReason } from './navigation.ts'
import { Button } from './parts/button.tsx'
import { Dialog } from './parts/dialog.tsx'
import { keepFocus } from './parts/focus.ts'
import { Link } from './parts/link.tsx'
import { LiveRegion } from './parts/live-region.tsx'
import { SignIn } from './parts/notice.tsx'
import { type Portal, PortalContext, usePortal } from './portal.ts'
import { AuditLog } from './screens/audit-log.tsx'
import { Deliveries } from './screens/deliveries.tsx'
import { Delivery } from './screens/delivery.tsx'
import { Endpoint } from './screens/endpoint.tsx'
import { EndpointForm } from './screens/endpoint-form.tsx'
import { Endpoints, isFailing } from './screens/endpoints.tsx'
import { Events } from './screens/events.tsx'
import { Key } from './screens/key.tsx'
import { Keys } from './screens/keys.tsx'
import type { Feature } from './settings.ts'
import { useLoaded, whileVisible } from './use-loaded.ts'

const REFRESH_ENDPOINTS_MS = 30_000
/** They take less than 10 KB. */
const FEW_ENDPOINTS = 10

const VIEWS = ['api-keys', 'endpoints', 'deliveries', 'events', 'audit-log'] as const
type View = (typeof VIEWS)[number]

/** The views of members without a permission. */
const OPEN_TO_ALL: readonly View[] = ['api-keys']

/** The screens of a member. */
export function Member({
  me,
  translator,
  settings,
  navigation,
  client,
  isPage,
  isSignedOut,
  onSignedIn,
}: Pick<Portal, 'me' | 'settings' | 'navigation' | 'client'> & {
  translator: Translator
  isPage: boolean
  isSignedOut: boolean
  onSignedIn: () => void
}) {
  const fixed = useMemo((): Omit<Portal, 'endpoints'> => {
    const manages = me.permissions.includes('manage_integrations')
    const mayChange = manages && !settings.readOnly
    return {
      ...translator,
      me,
      settings,
      navigation,
      client,
      mayChange,
      views: manages || me.permissions.includes('view_integrations'),
      format: createFormatter(translator.locale),
      mayChangeKey: ({ owner_id }) => mayChange || (!settings.readOnly && owner_id === me.member_id),
      announcer: createAnnouncer(),
      answered: { delivery: null },
      filters: new Map(),
      kept: new Map(),
      shows: (feature: Feature) => settings.features.includes(feature),
    }
  }, [me, translator, settings, client])
  const views = VIEWS.filter((view) => fixed.shows(view) && (fixed.views || OPEN_TO_ALL.includes(view)))
  const isAsked = views.includes('endpoints') || views.includes('deliveries')
  const endpoints = useLoaded(
    `endpoints ${isAsked}`,
    async (cancel): Promise<readonly WebhookEndpoint[]> => (isAsked ? client.endpoints.list(cancel) : []),
  )
  useChanges(client, endpoints, isAsked)
  const portal: Portal = { ...fixed, endpoints }
  const failing = endpoints.value?.filter(isFailing).length ?? 0

  const { place } = navigation
  const view = views.find((each) => each === place.value.view) ?? views[0]
  if (view !== undefined && place.value.id === null) portal.filters.set(view, place.value.query)
  useMemo(() => portal.kept.clear(), [view])
  const tabs = useRef<HTMLElement>(null)
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => watchTime(), [])
  useEffect(() => (root.current === null ? undefined : keepFocus(root.current)), [])
  const { english } = portal
  useEffect(
    () => (root.current === null || english === null ? undefined : markEnglish(root.current, english)),
    [english],
  )
  useEffect(() => {
    // On a phone not all of them fit. They alone are scrolled: the portal may be anywhere in a page of the host's.
    const all = tabs.current?.getBoundingClientRect()
    const current = tabs.current?.querySelector('[aria-current]')?.getBoundingClientRect()
    if (all && current) tabs.current?.scrollBy(current.x + current.width / 2 - (all.x + all.width / 2), 0)
  }, [view])
  return (
    <PortalContext.Provider value={portal}>
      <div ref={root} class="portal" lang={portal.locale} dir={portal.direction}>
        <div class="top">
          {isPage && <Header organizations={me.organizations} />}
          <nav ref={tabs} class="tabs" aria-label={portal.t('nav.label')}>
            {views.map((each) => (
              <Link key={each} to={{ view: each }} current={each === view}>
                {portal.t(`nav.${each}`)}
                {each === 'endpoints' && failing > 0 && (
                  <span class="badge bad count-badge">
                    <span aria-hidden="true">{portal.format.number(failing)}</span>
                    <span class="hidden">{portal.t('nav.failing', { count: failing })}</span>
                  </span>
                )}
              </Link>
            ))}
          </nav>
        </div>
        {view !== undefined && view !== 'api-keys' && !me.permissions.includes('manage_integrations') && (
          <p class="notice">{portal.t('nav.viewer')}</p>
        )}
        {isSignedOut && <SignedOut onSignedIn={onSignedIn} />}
        <main key={`${view}/${place.value.id}/${place.value.query['edit']}`}>
          {place.value.view !== '' && !VIEWS.some((each) => each === place.value.view) && (
            <p class="notice">{portal.t('start.unknown', { view: place.value.view })}</p>
          )}
          {view === undefined ? <p class="notice">{portal.t('start.nothing')}</p> : <Screen view={view} />}
        </main>
        <LiveRegion />
        {navigation.leaving.value !== null && <Leave {...navigation.leaving.value} />}
      </div>
    </PortalContext.Provider>
  )
}

/** Lists the endpoints again once they have changed: all of them are large, and a few are no more than a summary. */
function useChanges(client: Portal['client'], endpoints: Portal['endpoints'], isAsked: boolean): void {
  const isMany = (endpoints.value?.length ?? 0) > FEW_ENDPOINTS
  const summary = useLoaded(
    `summary ${isMany}`,
    async (cancel) => (isMany ? JSON.stringify(await client.endpoints.summary(cancel)) : null),
    { everyMs: isMany ? REFRESH_ENDPOINTS_MS : undefined },
  )
  const seen = useRef<string | null>(null)
  useEffect(() => {
    const { value = null } = summary
    if (value !== null && seen.current !== null && value !== seen.current) void endpoints.reload()
    seen.current = value
  }, [summary.value])
  useEffect(() => {
    if (!isAsked || isMany) return
    return whileVisible(() => void endpoints.reload(), REFRESH_ENDPOINTS_MS)
  }, [isAsked, isMany])
}

function Screen({ view }: { view: View }) {
  const { navigation, mayChange } = usePortal()
  const { id, query } = navigation.place.value
  switch (view) {
    case 'api-keys':
      return id === null ? <Keys /> : <Key id={id} />
    case 'endpoints':
      if (id === null) return <Endpoints />
      if (id === 'new' && mayChange) return <EndpointForm id={null} />
      return query['edit'] !== undefined && mayChange ? <EndpointForm id={id} /> : <Endpoint id={id} />
    case 'deliveries':
      return id === null ? <Deliveries /> : <Delivery id={id} />
    case 'events':
      return <Events />
    case 'audit-log':
      return <AuditLog />
  }
}

/** Asked before something is lost. */
function Leave({ why, leave, stay }: { why: LeaveReason; leave: () => void; stay: () => void }) {
  const { t } = usePortal()
  return (
    <Dialog
      title={t(`leave.title.${why}`)}
      onClose={stay}
      footer={
        <>
          <Button onClick={leave}>{t('leave.do')}</Button>
          <Button kind="primary" onClick={stay}>
            {t('leave.stay')}
          </Button>
        </>
      }
    >
      <p>{t(`leave.${why}`)}</p>
    </Dialog>
  )
}

/** The session has ended. The input on the screen is kept. */
function SignedOut({ onSignedIn }: { onSignedIn: () => void }) {
  const { t } = usePortal()
  return (
    <div class="notice warn signed-out" role="alert">
      <p>{t('session.ended')}</p>
      <SignIn />
      <Button onClick={onSignedIn}>{t('session.again')}</Button>
    </div>
  )
}
