import { type OpenApiDocument, operationsOf } from './openapi-shape.ts'

/** The audiences of the documentation, each with its own page and document, and their security schemes. */
const SCHEMES = { partners: 'apiKey', members: 'session' } as const

/** The document reduced to the routes of one audience. Webhooks are for partners. */
export function documentFor(
  audience: keyof typeof SCHEMES,
  { paths, webhooks, components, ...rest }: OpenApiDocument,
): OpenApiDocument {
  const scheme = SCHEMES[audience]
  const own = Object.entries(paths).filter(([, operations]) =>
    Object.values(operations).some(({ security }) => security.some((each) => scheme in each)),
  )
  return withoutUnused({
    ...rest,
    security: [{ [scheme]: [] }],
    paths: Object.fromEntries(own),
    webhooks: audience === 'partners' ? webhooks : undefined,
    components: { ...components, securitySchemes: { [scheme]: components['securitySchemes']?.[scheme] } },
  })
}

/** The document without the tags and components that its operations do not use. */
export function withoutUnused(document: OpenApiDocument): OpenApiDocument {
  const { paths, webhooks, tags, components } = document
  const used = operationsOf({ ...paths, ...webhooks }).flatMap((operation) => operation.tags)
  const { securitySchemes = {} } = components
  return {
    ...document,
    tags: tags.filter(({ name }) => used.includes(name)),
    components: { ...referredComponents({ paths, webhooks }, components), securitySchemes },
  }
}

/** The components that `part` refers to, directly or indirectly. */
function referredComponents(part: object, components: OpenApiDocument['components']) {
  const found: Record<string, Record<string, unknown>> = {}
  const collect = (node: unknown) => {
    const references = JSON.stringify(node).matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)
    for (const [, kind = '', name = ''] of references) {
      const component = components[kind]?.[name]
      // Data of a host's event may look like a reference.
      if (component === undefined || found[kind]?.[name] !== undefined) continue
      found[kind] = { ...found[kind], [name]: component }
      collect(component)
    }
  }
  collect(part)
  return found
}
