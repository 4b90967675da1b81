import { type Components, type OpenApiDocument, type Paths, tagsOf } from './openapi-shape.ts'

/** The audiences of the documentation, each with its own page and document. */
export const AUDIENCES = ['partners', 'members'] as const

const SCHEMES = { partners: 'apiKey', members: 'session' } as const

/** The document reduced to the routes of one audience and their components. Webhooks are for partners. */
export function documentFor(
  audience: (typeof AUDIENCES)[number],
  { paths, webhooks, tags, components, ...rest }: OpenApiDocument,
): OpenApiDocument {
  const scheme = SCHEMES[audience]
  const own = pathsWith(scheme, paths)
  const shown = { paths: own, ...(audience === 'partners' && webhooks && { webhooks }) }
  return {
    ...rest,
    tags: tagsOf({ tags }, own, shown.webhooks),
    security: [{ [scheme]: [] }],
    ...shown,
    components: {
      ...referredComponents(shown, components),
      securitySchemes: { [scheme]: components['securitySchemes']?.[scheme] },
    },
  }
}

function pathsWith(scheme: string, paths: Paths): Paths {
  const own = Object.entries(paths).flatMap(([path, operations]) => {
    const kept = Object.entries(operations).filter(([, { security = [] }]) =>
      security.some((each) => scheme in each),
    )
    return kept.length === 0 ? [] : [[path, Object.fromEntries(kept)] as const]
  })
  return Object.fromEntries(own)
}

/** The components that `part` refers to, directly or indirectly. */
export function referredComponents(part: unknown, components: Components): Components {
  const found: Record<string, Record<string, unknown>> = {}
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
