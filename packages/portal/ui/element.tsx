import { render } from 'preact'
import type { Transport } from './api/http.ts'
import { App } from './app.tsx'
import { de } from './i18n/de.ts'
import { addCatalog } from './i18n/translate.ts'
import { memoryNavigation, type Navigation, type Place } from './navigation.ts'
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
] as const

type Messages = Readonly<Record<string, Readonly<Record<string, Message>>>>

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
    if (name === 'organization' || (name === 'view' && !this.#isThere())) this.#navigation = undefined
    this.#render()
  }

  /** Whether `view` names where somebody is already: a host that follows `quickquote-navigate` sends nobody elsewhere. */
  #isThere(): boolean {
    const place = this.#navigation?.place.value
    const { view, id } = this.#start()
    return place?.view === view && (id === null || place.id === id)
  }

  #start(): Pick<Place, 'view' | 'id'> {
    const [view = '', id = null] = (this.getAttribute('view') ?? '').split('/')
    return { view, id }
  }

  #render(): void {
    if (this.#root === undefined) return
    const organizationId = this.getAttribute('organization')
    this.#navigation ??= memoryNavigation({ organizationId, ...this.#start(), query: {} }, (place) =>
      this.dispatchEvent(
        new CustomEvent('quickquote-navigate', {
          detail: { view: place.view, id: place.id },
          bubbles: true,
          composed: true,
        }),
      ),
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
      apiKeyDays: Number(this.getAttribute('api-key-days') ?? 731),
    }
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'quickquote-integrations': QuickquoteIntegrations
  }
}

if (globalThis.customElements?.get('quickquote-integrations') === undefined) {
  globalThis.customElements?.define('quickquote-integrations', QuickquoteIntegrations)
}
