import { contentOf, fixedName, themeRule } from '@quickquote/core/internal'
import type { ApiDocsLogo, ApiDocsOptions } from '../options.ts'
import { once } from './once.ts'
import { type Located, type OpenApiDocument, type Operation, operationsOf } from './openapi-shape.ts'

/** The same for every host. */
const scriptFile = once(async () => fileOf('page.js', (await import('#browser')).script))

export async function pageFiles({ logo, brand }: Required<ApiDocsOptions>) {
  const { swaggerUi, swaggerUiDark, own } = await import('#browser')
  const auto = `@media (prefers-color-scheme: dark) {${swaggerUiDark}}`
  const dark = { light: '', dark: swaggerUiDark, auto }
  const theme = themeRule(':root:root', brand ?? {})
  const rules = [swaggerUi, dark[brand?.theme ?? 'auto'], own, theme, logo && logoStyle(logo)]
  const style = await fileOf('page.css', rules.filter((rule) => rule).join('\n'))
  return { script: await scriptFile(), style }
}

/** A file of the page. Its name changes with its content. */
async function fileOf(name: string, text: string) {
  const content = await contentOf(name, text)
  return { name: fixedName(name, content), content }
}

/** An image in a style sheet runs no scripts. */
function logoStyle({ type, content }: ApiDocsLogo): string {
  const image = `data:${type};base64,${Buffer.from(content).toString('base64')}`
  return `.swagger-ui .info::before { content: ''; display: block; height: 48px; margin-bottom: 24px; background: url("${image}") left / contain no-repeat; }`
}

/**
 * The page. It lists the operations, which are thus visible before swagger-ui has started and takes their place.
 * @param at where the page finds its files and its document: relative URLs, which a proxy cannot break
 */
export function pageHtml(
  document: OpenApiDocument,
  { script, style }: Awaited<ReturnType<typeof pageFiles>>,
  look: Required<ApiDocsOptions>,
  at: { readonly files: string; readonly document: string },
): string {
  const title = escapeHtml(document.info.title)
  const operations = operationsOf(document.paths)
  const sections = document.tags.map(({ name, description = '' }) => {
    const rows = operations.filter((operation) => operation.tags.includes(name)).map(rowOf)
    return rows.length === 0
      ? ''
      : `<h2 class="opblock-tag"><span>${escapeHtml(name)}</span><small>${escapeHtml(description)}</small></h2>\n${rows.join('\n')}\n`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${at.files}/${style.name}">
<link rel="preload" href="${at.document}" as="fetch" crossorigin>
<script defer src="${at.files}/${script.name}"></script>
</head>
<body>
${headerOf(look, title)}<div id="swagger-ui" data-document="${at.document}"><div class="swagger-ui"><main class="wrapper">
<div class="info"><h1 class="title">${title}</h1></div>
${sections.join('')}</main></div></div>
</body>
</html>
`
}

/** The name of the host's product, which leads back to it. As in the portal. */
function headerOf({ brand, homeUrl }: Required<ApiDocsOptions>, title: string): string {
  if (brand === null && homeUrl === null) return ''
  const name = brand === null ? title : escapeHtml(brand.name)
  const image =
    brand?.logo === undefined
      ? `<span class="logo" aria-hidden="true">${name.slice(0, 1)}</span>`
      : `<img class="logo" src="${escapeHtml(brand.logo)}" alt="" width="24" height="24">`
  const inner = `${image}<strong>${name}</strong>`
  return `<header class="brand">${homeUrl === null ? inner : `<a href="${escapeHtml(homeUrl)}">${inner}</a>`}</header>\n`
}

/** Looks as in swagger-ui. The link opens the operation there. */
function rowOf({ path, method, operationId, tags: [tag = ''], summary }: Located<Operation>): string {
  const link = `#/${encodeURIComponent(tag)}/${encodeURIComponent(operationId)}`
  return `<div class="opblock opblock-${method}"><div class="opblock-summary"><a class="opblock-summary-control" href="${link}"><span class="opblock-summary-method">${method.toUpperCase()}</span><span class="opblock-summary-path-description-wrapper"><span class="opblock-summary-path">${escapeHtml(path)}</span><span class="opblock-summary-description">${escapeHtml(summary)}</span></span></a></div></div>`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
