// What a front end gets wrong is an error of its types; compiled by the test.

import '@quickquote/portal/element'
import type { IntegrationsEvents } from '@quickquote/portal/element'
import type { SvelteHTMLElements } from 'svelte/elements'
import type { GlobalComponents } from 'vue'

export const react = (
  <quickquote-integrations
    organization="o"
    view="deliveries?show=given_up"
    headers={async () => ({ Authorization: 'Bearer t' })}
    onquickquote-navigate={({ detail }) => detail.path.length}
  />
)
// @ts-expect-error: no such attribute
export const wrong = <quickquote-integrations organisation="o" />

export const svelte: SvelteHTMLElements['quickquote-integrations'] = {
  'onquickquote-unsaved': ({ detail }) => detail.unsaved === 'secret',
}
type Vue = InstanceType<GlobalComponents['quickquote-integrations']>['$props']
export const vue: Vue = { view: 'events', onQuickquoteNavigate: ({ detail }) => detail.id?.length }
// @ts-expect-error: no such attribute
export const wrongVue: Vue = { organisation: 'o' }

const element = document.querySelector('quickquote-integrations')
element?.addEventListener('quickquote-navigate', ({ detail }) => detail.query['show'])
export const unsaved: IntegrationsEvents['quickquote-unsaved']['detail']['unsaved'] = element?.unsaved ?? null
