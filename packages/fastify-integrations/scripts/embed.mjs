// Embeds the files of the documentation page in dist/browser.js, with the licenses of swagger-ui beside it. Runs before the
// package is packed.
import { copyFileSync, mkdirSync } from 'node:fs'
import { embed } from '../../../tools/embed.mjs'

const licenses = new URL('../dist/swagger-ui/', import.meta.url)
mkdirSync(licenses, { recursive: true })
for (const name of ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'])
  copyFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)), new URL(name, licenses))

embed(await import('../browser/index.js'), new URL('../dist/browser.js', import.meta.url))
