import type { Organization } from './api/types.ts'
import { Icon } from './parts/icon.tsx'
import { Menu } from './parts/menu.tsx'
import { organizationName, usePortal } from './portal.ts'

/** Of the page: the brand, the organization, and the member. */
export function Header({ organizations }: { organizations: readonly Organization[] }) {
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
