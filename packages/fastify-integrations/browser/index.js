// The files of the documentation page: swagger-ui, and our settings for it. In this repository they are read from disk;
// the published package embeds them (scripts/embed.mjs), so that any bundler includes them and hosts install no swagger-ui.
import { readFileSync } from 'node:fs'

const swaggerUi = (name) => readFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)), 'utf8')
const settings = readFileSync(new URL('api-docs.js', import.meta.url), 'utf8')

export const script = `${swaggerUi('swagger-ui-bundle.js')}\n${settings}`
export const style = [swaggerUi('swagger-ui.css'), swaggerUi('index.css')]
  .join('\n')
  .replace(/\/\*# sourceMappingURL=.*?\*\//, '')
