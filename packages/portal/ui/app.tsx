import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { createAnnouncer } from './announcer.ts'
import { createClient } from './api/client.ts'
import { ApiError, createHttp, type Transport } from './api/http.ts'
import type { Organization, WebhookEndpoint } from './api/types.ts'
import { watchTime } from './clock.ts'
import { createFormatter } from './i18n/format.ts'
import { markEnglish } from './i18n/mark-english.ts'
import { createTranslator, type Translator } from './i18n/translate.ts'
import type { LeaveReason, Navigation } from './navigation.ts'
import { Button } from './parts/button.tsx'
import { Dialog } from './parts/dialog.tsx'
import { keepFocus } from './parts/focus.ts'
import { Icon } from './parts/icon.tsx'
import { Link } from './parts/link.tsx'
import { LiveRegion } from './parts/live-region.tsx'
import { Menu } from './parts/menu.tsx'
import { SignIn } from './parts/notice.tsx'
import { errorText, organizationName, type Portal, PortalContext, signInUrl, usePortal } from './portal.ts'
import { AuditLog } from './screens/audit-log.tsx'
import { Deliveries } from './screens/deliveries.tsx'
import { Delivery } from './screens/delivery.tsx'
import { Endpoint } from './screens/endpoint.tsx'
import { EndpointForm } from './screens/endpoint-form.tsx'
import { Endpoints, isFailing } from './screens/endpoints.tsx'
import { Events } from './screens/events.tsx'
import { Key } from './screens/key.tsx'
import { Keys } from './screens/keys.tsx'
import { signIns } from './session.ts'
import type { Feature, PortalSettings } from './settings.ts'
import { useLoaded, whileVisible } from './use-loaded.ts'

interface AppProps {
  settings: PortalSettings
  navigation: Navigation
  transport: Transport
  /** Whether the portal is a page with a header. */
  isPage: boolean
}

const REFRESH_ENDPOINTS_MS = 30_000
/** They take less than 10 KB. */
const FEW_ENDPOINTS = 10

const VIEWS = ['api-keys', 'endpoints', 'deliveries', 'events', 'audit-log'] as const
type View = (typeof VIEWS)[number]

/** The views of members without a permission. */
const OPEN_TO_ALL: readonly View[] = ['api-keys']

/** Loads the member, then shows the screens. */
export function App({ settings, navigation, transport, isPage }: AppProps) {
  const translator = useMemo(
    () =>
      createTranslator(
        settings.locale === undefined ? navigator.languages : [settings.locale],
        settings.messages,
      ),
    [settings],
  )
  const isSignedOut = useMemo(() => signal(false), [])
  const http = useMemo(
    () =>
      createHttp(new URL(settings.apiUrl, document.baseURI), transport, (isSignedIn) => {
        if (isSignedIn && isSignedOut.value) signIns.value += 1
        isSignedOut.value = !isSignedIn
      }),
    [settings, transport],
  )
  const { organizationId } = navigation.place.value

  const client = useMemo(
    () => (organizationId === null ? null : createClient(http, organizationId)),
    [http, organizationId],
  )
  const me = useLoaded(`me ${organizationId}`, async (cancel) => (client === null ? null : client.me(cancel)))
  // 400: what the address names is no id at all.
  const isElsewhere = me.error instanceof ApiError && [400, 403, 404].includes(me.error.status)
  const isAsked = organizationId === null || isElsewhere
  const organizations = useLoaded(`organizations ${isAsked}`, async (cancel) =>
    !isAsked || settings.organizationsUrl === undefined
      ? null
      : http.send<Organization[]>(new URL(settings.organizationsUrl, document.baseURI).href, {
          signal: cancel,
        }),
  )
  const first = organizations.value?.[0]?.id
  useEffect(() => {
    if (organizationId === null && first !== undefined)
      navigation.go({ ...navigation.place.value, organizationId: first }, { replace: true })
  }, [organizationId, first])

  useEffect(() => {
    document.documentElement.lang ||= translator.locale
  }, [translator])

  useEffect(() => {
    if (!isSignedOut.value) return
    // Somebody who signed in in another tab comes back to this one.
    const onVisible = () => {
      if (document.visibilityState === 'visible') void me.reload()
    }
    document.addEventListener('visibilitychange', onVisible)
    addEventListener('focus', onVisible)
    return () => {
      document.removeEventListener('visibilitychange', onVisible)
      removeEventListener('focus', onVisible)
    }
  }, [isSignedOut.value, me.reload])

  const isNobody = isSignedOut.value && me.value == null
  useEffect(() => {
    if (isNobody && isPage && settings.signInUrl !== undefined)
      location.replace(signInUrl(settings.signInUrl))
  }, [isNobody])

  if (me.value == null || client === null) {
    const failure = organizations.error ?? me.error
    const isNowhere =
      organizationId === null &&
      (settings.organizationsUrl === undefined || organizations.value?.length === 0)
    return (
      <main class="portal start" lang={translator.locale} dir={translator.direction}>
        {isNowhere && <p class="notice">{translator.t('start.no-organization')}</p>}
        {failure !== undefined && !(isNobody && isPage && settings.signInUrl !== undefined) && (
          <Failure translator={translator} error={failure} signIn={settings.signInUrl}>
            {isElsewhere &&
              organizations.value?.map(({ id, name }) => (
                <Button
                  key={id}
                  kind="primary"
                  onClick={() => navigation.go({ organizationId: id, view: navigation.place.value.view })}
                >
                  {translator.t('start.open', { name: name ?? id })}
                </Button>
              ))}
          </Failure>
        )}
        {!isNowhere && failure === undefined && <p class="hidden">{translator.t('loading')}</p>}
      </main>
    )
  }
  return (
    <Member
      key={organizationId}
      me={me.value}
      translator={translator}
      settings={settings}
      navigation={navigation}
      client={client}
      isPage={isPage}
      isSignedOut={isSignedOut.value}
      onSignedIn={() => void me.reload()}
    />
  )
}

function Failure({
  translator,
  error,
  signIn,
  children,
}: {
  translator: Translator
  error: unknown
  signIn: string | undefined
  /** What to do instead of trying again. */
  children?: ComponentChildren
}) {
  const status = error instanceof ApiError ? error.status : 0
  const text =
    status === 400 || status === 404 ? translator.t('error.NOT_A_MEMBER') : errorText(translator, error)
  return (
    <div class="notice bad" role="alert">
      <p>{text}</p>
      {status === 401 && signIn !== undefined ? (
        <a class="button" href={signInUrl(signIn)}>
          {translator.t('session.sign-in')}
        </a>
      ) : (
        children || <Button onClick={() => location.reload()}>{translator.t('action.retry')}</Button>
      )}
    </div>
  )
}

function Member({
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

function Header({ organizations }: { organizations: readonly Organization[] }) {
  const { settings, me, navigation, t } = usePortal()
  const { brand, apiReferenceUrl, homeUrl, signOutUrl } = settings
  const name = organizationName(me)
  const home = (
    <>
      {brand.logo === undefined ? (
        <span class="logo" aria-hidden="true">
          {brand.name.slice(0, 1)}
        </span>
      ) : (
        <img class="logo" src={brand.logo} alt="" width="24" height="24" />
      )}
      <strong>{brand.name}</strong>
    </>
  )
  return (
    <header class="brand">
      {homeUrl === undefined ? home : <a href={homeUrl}>{home}</a>}
      <span class="slash" aria-hidden="true">
        /
      </span>
      {organizations.length > 1 ? (
        <Menu
          label={t('nav.organization', { name })}
          items={organizations.map((each) => ({
            label: each.name ?? each.id,
            run: () =>
              navigation.go({ organizationId: each.id, view: navigation.place.value.view, query: {} }),
          }))}
        >
          <strong title={name}>{name}</strong>
          <Icon name="chevron" />
        </Menu>
      ) : (
        <strong class="organization" title={name}>
          {name}
        </strong>
      )}
      <span class="brand-end">
        {apiReferenceUrl !== undefined && <a href={apiReferenceUrl}>{t('nav.reference')}</a>}
        <span class="member" title={me.member_id}>
          {me.member_name ?? me.member_id}
        </span>
        {signOutUrl !== undefined && <a href={signOutUrl}>{t('session.sign-out')}</a>}
      </span>
    </header>
  )
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
