/** What the server, or the page that holds the element, says about this portal. It holds no data of anybody. */
export interface PortalSettings {
  /** Where the integrations are served: the address before `v1/organizations`, relative to the page. */
  readonly apiUrl: string
  /** Where the organizations of the member are listed, relative to the page. None: the address names one. */
  readonly organizationsUrl?: string
  /** Where a member signs in. `{url}` stands for the address to come back to. */
  readonly signInUrl?: string
  readonly brand: { readonly name: string; readonly logo?: string }
  readonly apiReferenceUrl?: string
  /** A language tag, as `de`. Default: the first of the browser's that there is. */
  readonly locale?: string
  /** Other texts, by language and key. */
  readonly messages?: Readonly<Record<string, Readonly<Record<string, Message>>>>
  readonly readOnly: boolean
  readonly features: readonly Feature[]
  /** The word in the webhook headers: `Acme` for `X-Acme-Signature`. */
  readonly productName: string
  readonly apiKeyDays: number
  readonly maxAttempts?: number
  readonly retentionDays?: number
  /** An endpoint is disabled once all of its deliveries have failed for this long; 0: never. */
  readonly disableAfterMs?: number
}

/** A text, or one for each plural category of the language (`Intl.PluralRules`), chosen by `{count}`. */
export type Message = string | ({ readonly other: string } & Partial<Record<Intl.LDMLPluralRule, string>>)

export const FEATURES = ['api-keys', 'endpoints', 'deliveries', 'replay', 'events', 'audit-log'] as const
export type Feature = (typeof FEATURES)[number]
