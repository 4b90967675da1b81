import { render } from 'preact'
import type { Transport } from './api/http.ts'
import { App } from './app.tsx'
import { de } from './i18n/de.ts'
import { addCatalog } from './i18n/translate.ts'
import { memoryNavigation, pathOf, placeOf } from './memory-navigation.ts'
import type { Navigation, Place } from './navigation.ts'
import { FEATURES, type Message, type PortalSettings } from './settings.ts'
import css from './style.css?inline'

addCatalog('de', de)

const OBSERVED = [
  'organization',
  'view',
  'api-url',
  'locale',
  'readonly',
  'features',
  'product-name',
  'sign-in-url',
  'link-template',
] as const

type Messages = Readonly<Record<string, Readonly<Record<string, Message>>>>

/** Where somebody is. */
export interface NavigateDetail {
  /** `api-keys`, `endpoints`, `deliveries`, `events` or `audit-log`. */
  readonly view: string
  readonly id: string | null
  /** The filters of a list. */
  readonly query: Readonly<Record<string, string>>
  /** All of it as a value of the attribute `view`, such as `deliveries?show=given_up`. */
  readonly path: string
}

/** What would be lost: input, a request that is running, or a key or secret that is shown once. */
export type Unsaved = 'draft' | 'running' | 'secret'

export interface IntegrationsEvents {
  'quickquote-navigate': CustomEvent<NavigateDetail>
  /** `unsaved` has changed. */
  'quickquote-unsaved': CustomEvent<{ readonly unsaved: Unsaved | null }>
}

/** The attributes and properties of the element, for frameworks. */
export interface IntegrationsAttributes {
  organization?: string
  /** A screen, with an id or filters if wanted: `deliveries/<id>`, `deliveries?show=given_up`. */
  view?: string
  'api-url'?: string
  locale?: string
  readonly?: boolean | ''
  features?: string
  'product-name'?: string
  'sign-in-url'?: string
  /** The address of a place in your page, with `{path}` for the value of `view`. */
  'link-template'?: string
  fetch?: typeof fetch
  headers?: Transport['headers']
  messages?: Messages
}

/** A server that renders pages has no elements: there this import does nothing. */
const Base: typeof HTMLElement = globalThis.HTMLElement ?? class {}

/**
 * `<quickquote-integrations organization="…" view="deliveries">`: the screens inside a page of the host. A shadow root
 * keeps their styles apart, except for the custom properties of the theme.
 */
export class QuickquoteIntegrations extends Base {
  static readonly observedAttributes = OBSERVED

  #fetch: typeof fetch | undefined
  #headers: Transport['headers']
  #messages: Messages | undefined

  // Accessors, because frameworks set a property only where they find one, and an attribute otherwise.

  /** Sends the requests. Default: the browser's `fetch`, with the cookies of this origin. */
  get fetch(): typeof fetch | undefined {
    return this.#fetch
  }
  set fetch(send) {
    this.#fetch = send
  }

  /** Sent with each request; a function is called each time. */
  get headers(): Transport['headers'] {
    return this.#headers
  }
  set headers(headers) {
    this.#headers = headers
  }

  /** The host's own texts, by language and key. They may change at any time. */
  get messages(): Messages | undefined {
    return this.#messages
  }
  set messages(messages) {
    this.#messages = messages
    this.#render()
  }

  /** What would be lost if somebody left now; null: nothing. Setting `view` or `organization` then asks them first. */
  get unsaved(): Unsaved | null {
    return this.#unsaved
  }

  #unsaved: Unsaved | null = null
  #navigation: Navigation | undefined
  #root: ShadowRoot | undefined

  connectedCallback(): void {
    // What was set before the element was defined hides the accessors.
    for (const name of ['fetch', 'headers', 'messages'] as const) {
      if (!Object.hasOwn(this, name)) continue
      const value = this[name]
      delete this[name]
      Object.assign(this, { [name]: value })
    }
    if (this.#root === undefined) {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(css)
      this.#root = this.attachShadow({ mode: 'open' })
      this.#root.adoptedStyleSheets = [sheet]
    }
    this.#render()
  }

  disconnectedCallback(): void {
    if (this.#root !== undefined) render(null, this.#root)
    this.#navigation = undefined
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (!this.isConnected || before === now || this.#root === undefined) return
    const isElsewhere = name === 'organization' || (name === 'view' && !this.#isThere())
    const go = () => {
      if (isElsewhere) this.#navigation = undefined
      this.#render()
    }
    if (isElsewhere && this.#navigation !== undefined) this.#navigation.leave(go)
    else go()
  }

  /** Whether `view` names where somebody is already: a host that follows `quickquote-navigate` sends nobody elsewhere. */
  #isThere(): boolean {
    const place = this.#navigation?.place.value
    const wanted = this.#start()
    if (place?.view !== wanted.view || (wanted.id !== null && place.id !== wanted.id)) return false
    return Object.keys(wanted.query).length === 0 || pathOf(place) === pathOf(wanted)
  }

  #start(): Pick<Place, 'view' | 'id' | 'query'> {
    return placeOf(this.getAttribute('view') ?? '')
  }

  #tell<Name extends keyof IntegrationsEvents>(name: Name, detail: IntegrationsEvents[Name]['detail']): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }))
  }

  #render(): void {
    if (this.#root === undefined) return
    const organizationId = this.getAttribute('organization')
    this.#navigation ??= memoryNavigation(
      { organizationId, ...this.#start() },
      {
        onGo: (place) => {
          const { view, id, query } = place
          this.#tell('quickquote-navigate', { view, id, query, path: pathOf(place) })
        },
        onHold: (unsaved) => {
          if (unsaved === this.#unsaved) return
          this.#unsaved = unsaved
          this.#tell('quickquote-unsaved', { unsaved })
        },
        href: (path) => this.getAttribute('link-template')?.replace('{path}', path),
      },
    )
    const transport: Transport = {
      fetch: (input, init) => (this.fetch ?? fetch)(input, init),
      headers: async () => {
        const { headers } = this
        return (await (typeof headers === 'function' ? headers() : headers)) ?? {}
      },
    }
    render(
      <App settings={this.#settings()} navigation={this.#navigation} transport={transport} isPage={false} />,
      this.#root,
    )
  }

  #settings(): PortalSettings {
    const locale = this.getAttribute('locale') ?? (this.closest('[lang]')?.getAttribute('lang') || undefined)
    const features = this.getAttribute('features')?.split(/[\s,]+/)
    const signInUrl = this.getAttribute('sign-in-url')
    return {
      apiUrl: this.getAttribute('api-url') ?? '/',
      brand: { name: '' },
      ...(locale === undefined ? {} : { locale }),
      ...(this.messages === undefined ? {} : { messages: this.messages }),
      ...(signInUrl === null ? {} : { signInUrl }),
      readOnly: this.hasAttribute('readonly'),
      features: features === undefined ? FEATURES : FEATURES.filter((feature) => features.includes(feature)),
      productName: this.getAttribute('product-name') ?? 'Service',
    }
  }
}

declare global {
  interface HTMLElementEventMap extends IntegrationsEvents {}
  interface HTMLElementTagNameMap {
    'quickquote-integrations': QuickquoteIntegrations
  }
}

if (globalThis.customElements?.get('quickquote-integrations') === undefined) {
  globalThis.customElements?.define('quickquote-integrations', QuickquoteIntegrations)
}
