// Embeds the files of the documentation page in dist/browser.js, with the licenses of swagger-ui beside it. Runs before the
// package is packed.
import { copyFileSync, mkdirSync } from 'node:fs'
import { embed } from '../../../tools/embed.mjs'

const licenses = new URL('../dist/swagger-ui/', import.meta.url)
mkdirSync(licenses, { recursive: true })
// A file called LICENSE would keep pnpm from packing ours.
const copies = {
  LICENSE: 'swagger-ui.LICENSE.txt',
  NOTICE: 'NOTICE',
  'swagger-ui-bundle.js.LICENSE.txt': 'swagger-ui-bundle.js.LICENSE.txt',
}
for (const [name, copy] of Object.entries(copies))
  copyFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)), new URL(copy, licenses))

embed(await import('../browser/index.js'), new URL('../dist/browser.js', import.meta.url))
