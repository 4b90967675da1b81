import { useEffect, useMemo } from 'preact/hooks'
import { createClient } from './api/client.ts'
import { ApiError, type Transport } from './api/http.ts'
import { createTranslator } from './i18n/translate.ts'
import { Member } from './member.tsx'
import type { Navigation } from './navigation.ts'
import { useOrganizations } from './organizations.ts'
import { signInUrl } from './portal.ts'
import { useReturn, useSession } from './session.ts'
import type { PortalSettings } from './settings.ts'
import { Start } from './start.tsx'
import { useLoaded } from './use-loaded.ts'

interface AppProps {
  settings: PortalSettings
  navigation: Navigation
  transport: Transport
  /** Whether the portal is a page with a header. */
  isPage: boolean
}

/** Loads the member, then shows the screens. */
export function App({ settings, navigation, transport, isPage }: AppProps) {
  const { locale, messages, organizationsUrl, signInUrl: signIn } = settings
  const translator = useMemo(
    () => createTranslator(locale === undefined ? navigator.languages : [locale], messages),
    [settings],
  )
  const { http, isSignedOut } = useSession(settings, transport)
  const { organizationId } = navigation.place.value
  const client = useMemo(
    () => (organizationId === null ? null : createClient(http, organizationId)),
    [http, organizationId],
  )
  const me = useLoaded(`me ${organizationId}`, async (cancel) => (client === null ? null : client.me(cancel)))
  // 400: what the address names is no id at all.
  const isElsewhere = me.error instanceof ApiError && [400, 403, 404].includes(me.error.status)
  const organizations = useOrganizations(http, settings, navigation, organizationId === null || isElsewhere)
  useReturn(isSignedOut.value, me.reload)

  useEffect(() => {
    document.documentElement.lang ||= translator.locale
  }, [translator])

  const isNobody = isSignedOut.value && me.value == null
  const leavesTo = isNobody && isPage ? signIn : undefined
  useEffect(() => {
    if (leavesTo !== undefined) location.replace(signInUrl(leavesTo))
  }, [leavesTo])

  if (me.value == null || client === null) {
    const isNone = organizationsUrl === undefined || organizations.value?.length === 0
    return (
      <Start
        translator={translator}
        navigation={navigation}
        isNowhere={organizationId === null && isNone}
        failure={organizations.error ?? me.error}
        isLeaving={leavesTo !== undefined}
        signIn={signIn}
        others={isElsewhere ? (organizations.value ?? null) : null}
      />
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
