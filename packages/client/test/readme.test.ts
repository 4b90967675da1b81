import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { DOCUMENT, useHost } from './support/host.ts'

const host = useHost()
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const [, sample = ''] = /```js\n(.*?)```/s.exec(readme) ?? []

it('the sample starts a quote from a file and prints the link to its document', async () => {
  const { partner } = await host().partner()
  // Where the sample finds the package and its file.
  const cwd = fileURLToPath(new URL('programs', import.meta.url))
  const child = spawn(process.execPath, ['--input-type=module', '--eval', sample], {
    cwd,
    env: { ...process.env, BASE_URL: host().url, API_KEY: partner.key },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const over = Promise.all([text(child.stdout), once(child, 'close')])
  await expect
    .poll(async () => {
      await host().kit.deliver()
      return host().started.length
    })
    .toBe(1)
  const [quote] = host().started
  await partner.quote(quote?.id ?? '').complete(undefined, { name: 'Offer', documentId: DOCUMENT })
  const [output] = await over
  expect(output).toBe(`Customer portal: https://files.example.com/${DOCUMENT}\n`)
})
