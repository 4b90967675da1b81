/** The audiences of the documentation, each with its own page and document. */
export const AUDIENCES = ['partners', 'members'] as const
type Audience = (typeof AUDIENCES)[number]

const SCHEMES = { partners: 'apiKey', members: 'session' } as const

type Operations = Record<string, { readonly security?: readonly object[]; readonly tags?: readonly string[] }>

type Components = Record<string, Record<string, unknown>>

/** The document reduced to the routes of one audience and their components. Webhooks are for partners. */
export function documentFor(
  audience: Audience,
  document: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { paths, webhooks, tags, components, ...rest } = document as {
    readonly paths: Record<string, Operations>
    readonly webhooks: Record<string, Operations>
    readonly tags: readonly { readonly name: string }[]
    readonly components: Components
  }
  const scheme = SCHEMES[audience]
  const own = Object.entries(paths).flatMap(([path, operations]) => {
    const kept = Object.entries(operations).filter(([, { security = [] }]) =>
      security.some((each) => scheme in each),
    )
    return kept.length === 0 ? [] : [[path, Object.fromEntries(kept)] as const]
  })
  const shown = { paths: Object.fromEntries(own), ...(audience === 'partners' && { webhooks }) }
  const used = new Set(
    Object.values(shown)
      .flatMap((group) => Object.values(group).flatMap((operations) => Object.values(operations)))
      .flatMap(({ tags }) => tags ?? []),
  )
  return {
    ...rest,
    tags: tags.filter(({ name }) => used.has(name)),
    ...shown,
    components: {
      ...referredComponents(shown, components),
      securitySchemes: { [scheme]: components['securitySchemes']?.[scheme] },
    },
  }
}

/** The components that `part` refers to, directly or indirectly. */
function referredComponents(part: unknown, components: Components): Components {
  const found: Components = {}
  const collect = (node: unknown) => {
    for (const [, kind = '', name = ''] of JSON.stringify(node).matchAll(
      /"#\/components\/(\w+)\/([\w.-]+)"/g,
    )) {
      if (found[kind]?.[name] !== undefined) continue
      const component = components[kind]?.[name]
      found[kind] = { ...found[kind], [name]: component }
      collect(component)
    }
  }
  collect(part)
  return found
}
