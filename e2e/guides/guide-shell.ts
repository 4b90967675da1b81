import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { emptyDatabase } from '@quickquote/dev-servers/vitest'
import { beforeAll } from 'vitest'
import { hostSecrets } from '../../examples/demo/src/host-secrets.ts'
import { runExample, type TemporaryFolder, temporaryFolder, urlOf } from '../demo/example-process.ts'
import { createPartner } from '../demo/partner-client.ts'

export function readGuide(name: string): Promise<string> {
  return readFile(resolve(import.meta.dirname, `../../docs/guides/${name}.md`), 'utf8')
}

/** The code blocks of a page in one language. */
export function blocksOf(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(
    ([, block = '']) => block,
  )
}

/** A partner's shell beside a running example, with `BASE_URL` and `API_KEY`. */
export function useGuideShell() {
  let folder: TemporaryFolder
  let environment: Record<string, string>
  beforeAll(async () => {
    const database = await emptyDatabase()
    folder = await temporaryFolder()
    const server = runExample('server', {
      DATABASE_URL: database.url,
      DATA_FOLDER: folder.path,
      PIPELINE_STEP_MS: '10',
    })
    const url = await urlOf(server)
    const { apiKey } = await createPartner(url, { url: 'https://crm.example.com/hook' })
    // The example's certificate is self-signed; a partner's curl trusts a real one.
    const { certificate } = await hostSecrets(folder.path)
    await writeFile(join(folder.path, 'ca.pem'), certificate.cert)
    environment = { BASE_URL: url, API_KEY: apiKey, CURL_CA_BUNDLE: join(folder.path, 'ca.pem') }

    return async () => {
      await server.end('SIGTERM')
      await database.drop()
      await folder.remove()
    }
  })
  return {
    /** Runs lines until one fails. */
    run: (lines: string) =>
      promisify(execFile)('sh', ['-c', `set -eu\n${lines}`], {
        cwd: folder.path,
        env: { PATH: process.env['PATH'], ...environment },
      }),
    /** A file that they have written. */
    read: (name: string) => readFile(join(folder.path, name)),
  }
}
