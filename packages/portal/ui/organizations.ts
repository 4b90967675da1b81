import { useEffect } from 'preact/hooks'
import type { Http } from './api/http.ts'
import type { Organization } from './api/types.ts'
import type { Loaded } from './loaded.ts'
import type { Navigation } from './navigation.ts'
import type { PortalSettings } from './settings.ts'
import { useLoaded } from './use-loaded.ts'

/**
 * The member's organizations. Opens the first if none is chosen.
 * @param isAsked whether they are needed
 */
export function useOrganizations(
  http: Http,
  { organizationsUrl }: PortalSettings,
  navigation: Navigation,
  isAsked: boolean,
): Loaded<Organization[] | null> {
  const organizations = useLoaded(`organizations ${isAsked}`, async (cancel) =>
    !isAsked || organizationsUrl === undefined
      ? null
      : http.send<Organization[]>(new URL(organizationsUrl, document.baseURI).href, { signal: cancel }),
  )
  const { organizationId } = navigation.place.value
  const first = organizations.value?.[0]?.id
  useEffect(() => {
    if (organizationId === null && first !== undefined)
      navigation.go({ ...navigation.place.value, organizationId: first }, { replace: true })
  }, [organizationId, first])
  return organizations
}
