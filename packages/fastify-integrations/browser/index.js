// The files of the documentation page: swagger-ui, and our settings for it. In this repository they are read from disk;
// the published package embeds them (scripts/embed.mjs), so that any bundler includes them and hosts install no swagger-ui.
import { readFileSync } from 'node:fs'

const textOf = (name, base) => readFileSync(new URL(name, base), 'utf8')
const swagger = import.meta.resolve('swagger-ui-dist/swagger-ui.css')
const css = textOf(swagger).replace(/\/\*# sourceMappingURL=.*?\*\//, '')
// Its dark colors are the end of its style sheet, for a page whose script sets a class.
const dark = css.indexOf('html.dark-mode')
if (dark < 0) throw new Error('swagger-ui has no dark colors where they were.')

export const script = `${textOf('swagger-ui-bundle.js', swagger)}\n${textOf('api-docs.js', import.meta.url)}`
export const swaggerUi = css.slice(0, dark)
export const swaggerUiDark = css.slice(dark).replaceAll('html.dark-mode', ':root')
export const own = textOf('api-docs.css', import.meta.url)
