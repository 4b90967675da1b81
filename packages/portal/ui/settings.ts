/** The settings from the server, or from the page with the element. They contain no one's data. */
export interface PortalSettings {
  /** The address of the integrations before `v1/organizations`, relative to the page. */
  readonly apiUrl: string
  /** The list of the member's organizations, relative to the page. None: the address contains one. */
  readonly organizationsUrl?: string
  /** The sign-in page. `{url}` is replaced by the address to return to. */
  readonly signInUrl?: string
  readonly brand: { readonly name: string; readonly logo?: string }
  readonly apiReferenceUrl?: string
  /** Where the name of the product leads. */
  readonly homeUrl?: string
  readonly signOutUrl?: string
  /** A language tag, such as `de`. Default: the first available one of the browser's. */
  readonly locale?: string
  /** The host's own texts, by language and key. */
  readonly messages?: Readonly<Record<string, Readonly<Record<string, Message>>>>
  readonly readOnly: boolean
  readonly features: readonly Feature[]
  /** The name in the webhook headers: `Acme` for `X-Acme-Signature`. */
  readonly productName: string
  readonly maxAttempts?: number
  /** How long a receiver may take. */
  readonly timeoutMs?: number
}

/** A text, or one per plural category of the language (`Intl.PluralRules`), selected by `{count}`. */
export type Message = string | ({ readonly other: string } & Partial<Record<Intl.LDMLPluralRule, string>>)

export const FEATURES = ['api-keys', 'endpoints', 'deliveries', 'replay', 'events', 'audit-log'] as const
export type Feature = (typeof FEATURES)[number]
