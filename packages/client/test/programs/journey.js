// Starts a quote from the file next to this one, on Node, Deno or Bun.
import { env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { createClient } from '../../dist/index.js'

const { quotations, proposals } = createClient({ baseUrl: env.BASE_URL, apiKey: env.API_KEY })
const file = fileURLToPath(new URL('requirements.md', import.meta.url))
const { quotation_id: id } = await quotations.start({ name: 'Portal', files: [file] })
console.log((await quotations.get(id)).status)
await proposals.get(id).catch(({ name, code }) => console.log(name, code))
const controller = new AbortController()
const wait = quotations.waitFor(id, { signal: controller.signal })
setTimeout(() => controller.abort(), 100)
await wait.catch(({ name }) => console.log(name))
